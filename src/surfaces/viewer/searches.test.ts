import { describe, expect, it } from 'vitest';
import { nameOfSearch, readSearches, searchOf } from './searches.ts';

describe('searches kept in a browser', () => {
  it('are equal whatever the order of their filters and the number of hits', () => {
    const one = searchOf(new URLSearchParams('q=oil&kind=command&limit=200&flat=1'));
    expect(one).toBe(searchOf(new URLSearchParams('kind=command&q=oil&project=')));
    expect(nameOfSearch(one)).toBe('oil · command');
  });

  it('have a name that lists their filters', () => {
    const search = 'q=oil&project=%2Fsrv%2Flamp&role=user&since=2026-03-01&agent=claude-code&outcome=error';
    expect(nameOfSearch(search)).toBe('oil · lamp · prompts · since 2026-03-01 · Claude Code · tool failed');
  });

  it('are empty if the browser holds something else', () => {
    const none = { saved: [], recent: [] };
    for (const text of [null, '', 'null', '7', '{"saved":3}', '{"saved":[{}],"recent":[null,""]}', '{'])
      expect(readSearches(text)).toEqual(none);
    expect(readSearches(JSON.stringify({ saved: ['q=a'], recent: Array(99).fill('q=b') })).recent).toHaveLength(8);
  });
});
