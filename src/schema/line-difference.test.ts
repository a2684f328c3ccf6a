import { describe, expect, it } from 'vitest';
import { differenceOf, lineDifference, sizeOf } from './line-difference.ts';

const said = (before: string, after: string) =>
  lineDifference({ before, after }).map(({ sign, text }) => `${sign}${text}`);

describe('the difference of two texts', () => {
  it('shows removed, added and kept lines', () => {
    expect(said('a\nb\nc\n', 'a\nB\nc\n')).toEqual([' a', '-b', '+B', ' c']);
    expect(said('', 'new\n')).toEqual(['+new']);
    expect(said('same', 'same')).toEqual(['…']);
  });

  it('leaves out lines far from a change', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    const changed = lines.with(15, 'another');
    const shown = said(lines.join('\n'), changed.join('\n'));
    expect(shown[0]).toBe('…');
    expect(shown).toHaveLength(10);
    expect(shown).toContain('-line 15');
  });

  it('joins the parts of one edit, and counts', () => {
    const lines = differenceOf([
      { before: 'a', after: 'b' },
      { before: 'c', after: 'd\ne' },
    ]);
    expect(lines.map(({ sign }) => sign).join('')).toBe('-+…-++');
    expect(sizeOf(lines)).toEqual({ added: 3, removed: 2 });
  });

  it('gives all lines of both texts if they are too different to compare', () => {
    const [before, after] = ['x', 'y'].map((letter) =>
      Array.from({ length: 4000 }, (_, i) => `${letter}${i}`).join('\n'),
    );
    expect(sizeOf(lineDifference({ before: before ?? '', after: after ?? '' }))).toEqual({
      added: 4000,
      removed: 4000,
    });
  });
});
