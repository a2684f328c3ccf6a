import { describe, expect, it } from 'vitest';
import { ageOf } from './age.ts';
import { inColumns, plain } from './columns.ts';
import { table } from './style.ts';
import { endInColumns, widthOf } from './width.ts';

describe('columns of a terminal', () => {
  it.each([
    ['lamp', 4],
    ['灯台', 4],
    ['ランプ', 6],
    ['한국어', 6],
    ['ｶﾀｶﾅ', 4],
    ['ＡＢ', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['🙂', 2],
    ['🇩🇪', 2],
    ['✓ → ·', 5],
    ['नमस्ते', 4],
  ])('%s takes %i', (text, columns) => expect(widthOf(text)).toBe(columns));

  it('are the same on every terminal, because characters that terminals disagree about are removed', () => {
    expect(plain('👨‍👩‍👧 👍🏽 ❤️ soft\u00adhyphen')).toBe('👨 👍 ❤ softhyphen');
    expect(plain(`e${'\u0301'.repeat(50)}`)).toHaveLength(5);
    expect(plain('half \ud83d')).toBe('half');
  });

  it('cut a text before the first character that does not fit', () => {
    expect(inColumns('灯台のランプ', 6)).toBe('灯台…');
    expect(inColumns('灯台のランプ', 7)).toBe('灯台の…');
    expect(inColumns('lamp', 4)).toBe('lamp');
    expect(inColumns('lamps', 4)).toBe('lam…');
    expect([inColumns('lamps', 1), inColumns('lamps', 0)]).toEqual(['…', '']);
    expect(endInColumns('灯台のランプ', 5)).toBe('ンプ');
  });

  it('line up in tables too', () => {
    expect(
      table(
        [
          ['灯台', 'b'],
          ['long', 'c'],
        ],
        (cell) => cell,
      ),
    ).toBe('灯台  b\nlong  c');
  });

  it('have room for an age', () => {
    const now = Date.parse('2026-03-10T12:00:00Z');
    const ages = ['2026-03-10T12:00:30Z', '2026-03-10T11:15:00Z', '2026-03-10T01:00:00Z', '2026-03-04T12:00:00Z'];
    expect(ages.map((moment) => ageOf(moment, now))).toEqual(['0m', '45m', '11h', '6d']);
    const older = ['2026-02-20T12:00:00Z', '2025-12-01T12:00:00Z', '2014-01-01T00:00:00Z'];
    expect(older.map((moment) => ageOf(moment, now))).toEqual(['2w', '3mo', '12y']);
  });
});
