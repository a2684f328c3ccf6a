import { describe, expect, it } from 'vitest';
import { parseKeywords } from '../question/keywords.ts';
import { snippet } from './snippet.ts';

const cut = (text: string, query: string) => snippet(text, parseKeywords(query));

describe('a snippet', () => {
  it('marks words that share the stem, whatever their case', () => {
    expect(cut('Connections were timing out', 'connection timed')).toBe('«Connections» were «timing» out');
  });

  it('matches through diacritics', () => {
    expect(cut('Le café est fermé', 'cafe')).toBe('Le «café» est fermé');
  });

  it('marks what punctuation joins as one', () => {
    expect(cut('see src/auth.ts:42 please', 'src/auth.ts:42')).toBe('see «src/auth.ts:42» please');
  });

  it('shows the densest cluster of different words, with ellipses at the cuts', () => {
    const text = `${'token '.repeat(50)}${'filler '.repeat(100)}the token refresh race${' filler'.repeat(100)}`;
    const shown = cut(text, 'token refresh race');
    expect(shown).toContain('«token» «refresh» «race»');
    expect(shown.startsWith('…') && shown.endsWith('…')).toBe(true);
    expect(shown.length).toBeLessThan(200);
  });

  it('folds line breaks', () => {
    expect(cut('one\n\n  two\tthree', 'two')).toBe('one «two» three');
  });

  it('shows the beginning when nothing matches', () => {
    expect(cut('x'.repeat(500), 'absent')).toBe(`${'x'.repeat(160)}…`);
    expect(cut('', 'absent')).toBe('');
  });

  it('never cuts a character in half', () => {
    for (let pad = 0; pad < 4; pad++) {
      const shown = cut(`${'.'.repeat(pad)}${'🙂'.repeat(200)} word ${'🎉'.repeat(200)}`, 'word');
      expect(shown).toContain('«word»');
      expect(shown.isWellFormed()).toBe(true);
    }
  });

  it('marks words inside text without spaces', () => {
    expect(cut('我们使用数据库连接池', '数据库')).toContain('«');
  });

  // Quadratic time would not finish here.
  it('finishes on long texts', () => {
    cut('token refresh and more words of all kinds '.repeat(100_000), 'token refresh');
    cut('x'.repeat(2_000_000), 'x');
    expect(cut(' '.repeat(2_000_000), 'x').length).toBeLessThan(1000);
  });
});
