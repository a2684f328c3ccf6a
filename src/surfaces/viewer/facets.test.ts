import { describe, expect, it } from 'vitest';
import type { Session } from './answers.ts';
import { choices, chosen, sorted } from './facets.ts';

const session = (id: string, more: Partial<Session> = {}): Session => ({
  ...{ id, agent: 'claude-code', project: 'lamp', projectPath: '/srv/lamp', cwd: '/srv/lamp', title: `Title of ${id}` },
  ...{ startedAt: '2026-03-01T10:00:00.000Z', endedAt: '2026-03-01T11:00:00.000Z', entries: 1 },
  ...{ subagentEntries: 0, toolUses: 0 },
  ...more,
});
const all = [
  session('a', { entries: 5, starred: true, tags: ['winter'] }),
  session('b', { projectPath: '/srv/gulls', project: 'gulls', agent: 'pi', endedAt: '2026-03-09T11:00:00.000Z' }),
  session('c', { toolUses: 9, branch: 'fix/wick', tags: ['winter', 'oil'] }),
];
const wanted = { project: '', agent: '', tag: '', outcome: '', cost: '', starred: false, since: 0, words: '' };
const ids = (found: readonly Session[]) => found.map(({ id }) => id).join('');

describe('the filtered sessions', () => {
  it('pass every filter, and contain the words in title, project, branch, tags or id', () => {
    expect(ids(chosen(all, wanted))).toBe('abc');
    expect(ids(chosen(all, { ...wanted, project: '/srv/gulls' }))).toBe('b');
    expect(ids(chosen(all, { ...wanted, tag: 'winter', starred: true }))).toBe('a');
    expect(ids(chosen(all, { ...wanted, since: Date.parse('2026-03-05') }))).toBe('b');
    expect(ids(chosen(all, { ...wanted, words: 'WICK title' }))).toBe('c');
  });

  it('can be chosen and sorted by outcome and by cost', () => {
    const ended = [
      session('a', { outcome: 'done', cost: 0.05, tokens: 10 }),
      session('b', { outcome: 'failed', cost: 12, tokens: 5 }),
      session('c', { tokens: 90 }),
    ];
    expect(ids(chosen(ended, { ...wanted, outcome: 'failed' }))).toBe('b');
    expect(ids(chosen(ended, { ...wanted, cost: 'unknown' }))).toBe('c');
    expect(choices(ended, wanted, 'cost').map(({ value }) => value)).toEqual(['over $10', 'under $0.10', 'unknown']);
    expect(ids(sorted(ended, 'cost'))).toBe('bac');
    expect(ids(sorted(ended, 'tokens'))).toBe('cab');
    expect(ids(sorted(ended, 'outcome'))).toBe('bac');
  });

  it('are counted for each further choice', () => {
    expect(choices(all, wanted, 'tag')).toEqual([
      { value: 'winter', count: 2 },
      { value: 'oil', count: 1 },
    ]);
    // A choice does not remove its alternatives.
    expect(choices(all, { ...wanted, agent: 'pi' }, 'agent')).toHaveLength(2);
    expect(choices(all, { ...wanted, agent: 'pi' }, 'project')).toEqual([{ value: '/srv/gulls', count: 1 }]);
  });

  it('are sorted as chosen, by default the last active first', () => {
    expect(ids(sorted(all, ''))).toBe('bac');
    expect(ids(sorted(all, 'entries'))).toBe('abc');
    expect(ids(sorted(all, 'tools'))).toBe('cab');
    expect(ids(sorted(all, 'nonsense'))).toBe('bac');
  });
});
