import { describe, expect, it } from 'vitest';
import { parseKeywords } from './keywords.ts';

const terms = (text: string) => parseKeywords(text).terms.map(({ words }) => words.join(' '));

describe('a keyword query', () => {
  it('drops stop words and duplicates', () => {
    expect(terms('How do I fix the login Login bug')).toEqual(['fix', 'login', 'bug']);
  });

  it('keeps stop words when nothing else would be left', () => {
    expect(terms('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
  });

  it('takes quoted text as a phrase, also between curly quotes', () => {
    expect(parseKeywords('"race condition" worker “file lock”')).toEqual({
      terms: [{ words: ['worker'], prefix: false }],
      phrases: [
        ['race', 'condition'],
        ['file', 'lock'],
      ],
    });
  });

  it('keeps words together that punctuation joins', () => {
    expect(terms('src/auth/jwt.ts:42 ERR_MODULE_NOT_FOUND foo-bar')).toEqual([
      'src auth jwt ts 42',
      'err module not found',
      'foo bar',
    ]);
  });

  it('splits words at apostrophes', () => {
    expect(terms("the user's token doesn't")).toEqual(['user', 'token']);
  });

  it('segments text without spaces, and matches its words as prefixes', () => {
    const { terms: found } = parseKeywords('数据库连接 timeout');
    expect(found.length).toBeGreaterThan(2);
    expect(found.filter(({ prefix }) => prefix).map(({ words }) => words.join(''))).not.toContain('timeout');
    expect(found[0]?.prefix).toBe(true);
  });

  it('keeps the longest terms in the order typed when there are too many', () => {
    const many = Array.from({ length: 100 }, (_, i) => `w${i}`).join(' ');
    const found = terms(`${many} considerably elaborate`);
    expect(found).toHaveLength(48);
    expect(found.slice(-2)).toEqual(['considerably', 'elaborate']);
  });

  it.each([
    '',
    '   ',
    '"',
    '""',
    '*',
    '-',
    '( ) : ^ +',
    '🙂 🎉',
    '\0',
    '\ud800',
    'a\udfffb',
    "'",
    '"unclosed phrase',
    'NEAR(a b, 5)',
    'col:x AND NOT OR',
    'x'.repeat(100_000),
    '"'.repeat(100_000),
    'a b '.repeat(25_000),
    '{"a":1},'.repeat(12_500),
    '漢字'.repeat(30_000),
    'a/'.repeat(500_000),
    'a://b:'.repeat(100_000),
    `${'!'.repeat(500_000)}a`,
  ])('accepts any text (%#)', (text) => {
    const query = parseKeywords(text);
    expect(query.terms.length).toBeLessThanOrEqual(48);
    for (const words of [...query.terms.map((term) => term.words), ...query.phrases]) {
      expect(words.length).toBeGreaterThan(0);
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}\p{Co}]+$/u);
    }
  });
});
