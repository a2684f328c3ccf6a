import { describe, expect, it } from 'vitest';
import type { Hit } from './answers.ts';
import { groupedHits, sessionsIn } from './grouped-hits.ts';

const hit = (id: string, session: string): Hit => ({
  kind: session === '' ? 'memory' : 'entry',
  ...{
    id,
    session,
    project: 'coast',
    title: `Title of ${session}`,
    at: '2026-03-01T00:00:00.000Z',
    score: 1,
    snippet: '',
  },
});
const names = (rows: ReturnType<typeof groupedHits>) =>
  rows.map((row) =>
    row.kind === 'hit' ? `${row.head ? `${row.head.count}: ` : ''}${row.hit.id}` : `${row.count} more`,
  );

describe('hits by session', () => {
  it('put the session of the best hit first, and keep the ranking within each session', () => {
    const hits = [hit('a', 'one'), hit('b', 'two'), hit('c', 'one')];
    expect(names(groupedHits(hits, new Set()))).toEqual(['2: a', 'c', '1: b']);
    expect(sessionsIn(hits)).toBe(2);
  });

  it('are folded after the first three, until the person opens the session', () => {
    const hits = ['a', 'b', 'c', 'd', 'e'].map((id) => hit(id, 'one'));
    expect(names(groupedHits(hits, new Set()))).toEqual(['5: a', 'b', 'c', '2 more']);
    expect(names(groupedHits(hits, new Set(['one'])))).toEqual(['5: a', 'b', 'c', 'd', 'e']);
  });

  it('do not fold a single hit', () => {
    const hits = ['a', 'b', 'c', 'd'].map((id) => hit(id, 'one'));
    expect(names(groupedHits(hits, new Set()))).toEqual(['4: a', 'b', 'c', 'd']);
  });

  it('leave hits without a session ungrouped', () => {
    expect(names(groupedHits([hit('a', ''), hit('b', '')], new Set()))).toEqual(['a', 'b']);
    expect(sessionsIn([hit('a', '')])).toBe(0);
  });
});
