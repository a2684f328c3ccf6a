import { describe, expect, it } from 'vitest';
import { fitting, mostOffered, type PaletteItem } from './palette-items.ts';

const item = (kind: PaletteItem['kind'], title: string, about?: string): PaletteItem => ({
  ...{ kind, title, about },
  run: () => undefined,
});
const items = [
  item('page', 'Search'),
  item('page', 'Sessions'),
  item('action', 'Change the theme'),
  item('project', 'lamp', '/srv/lamp'),
  item('session', 'Mend the lamp', 'lamp · 3 days ago'),
  item('session', 'Count gulls', 'roof'),
];
const titles = (typed: string) => fitting(items, typed).map(({ title }) => title);

describe('the palette', () => {
  it('offers pages and actions before the person types', () => {
    expect(titles('')).toEqual(['Search', 'Sessions', 'Change the theme']);
  });

  it('puts titles that begin with the words first', () => {
    expect(titles('lamp')).toEqual(['lamp', 'Mend the lamp']);
    expect(titles('se')).toEqual(['Search', 'Sessions']);
  });

  it('requires every word, in any position', () => {
    expect(titles('gulls roof')).toEqual(['Count gulls']);
    expect(titles('gulls lamp')).toEqual([]);
  });

  it('takes special characters literally, and offers no more items than fit on a screen', () => {
    expect(titles('(.*[')).toEqual([]);
    const many = Array.from({ length: 5000 }, (_, i) => item('session', `Session ${i}`));
    expect(fitting(many, 'session')).toHaveLength(mostOffered);
  });
});
