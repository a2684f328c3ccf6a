// The part of the store's contract about the order of changes, and about parts of a transcript.

import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/schema/change.ts';
import type { Store } from '../../src/store/store.ts';
import { takeObservation, takeSummary } from '../distilled.ts';
import { base, chunk, entry, rules } from './chunks.ts';
import { observation, summary } from './store-distilled.ts';

export function describeChanges(open: () => { store: Store; reopen(): Promise<Store> }): void {
  const told = ({ kind, session, page }: Change) => [kind, session ?? page ?? ''].join(' ').trim();

  describe('store.changes', () => {
    /** What changed since the last call. */
    function follower(store: Store) {
      let seen = 0;
      return async () => {
        const changes = await store.changes.after(seen, 1000);
        seen = changes.at(-1)?.seq ?? seen;
        return changes.map(told);
      };
    }

    it('are numbered in order, each thing once, the same for every process', async () => {
      const { store, reopen } = open();
      expect([await store.changes.last(), await store.changes.after(0, 10)]).toEqual([0, []]);
      const next = follower(store);
      await store.transcripts.commit([chunk([entry('a', 'one'), entry('b', 'two', { session: 's2' })])], rules);
      expect((await next()).sort()).toEqual(['entries s1', 'entries s2']);
      const other = await reopen();
      await other.sessions.note({ agent: 'claude-code', session: 's1', event: 'start', at: base });
      await takeObservation(other, observation('a'));
      await takeSummary(other, summary());
      await other.sessions.note({ agent: 'claude-code', session: 's1', event: 'prompt', at: base + 1 });
      await other.close();
      expect(await next()).toEqual(['observations s1', 'summary s1', 'state s1']);
      expect(await next()).toEqual([]);
      const all = await store.changes.after(0, 1000);
      expect(new Set(all.map(told)).size).toBe(all.length);
      expect(all.at(-1)?.seq).toBe(await store.changes.last());
      expect(await store.changes.after(0, 2)).toEqual(all.slice(0, 2));
    });

    it('report that something is gone, and keep no name of it', async () => {
      const { store } = open();
      await store.transcripts.commit([chunk([entry('a', 'one'), entry('b', 'two', { session: 's2' })])], rules);
      await store.sessions.note({ agent: 'claude-code', session: 's1', event: 'start', at: base });
      const before = await store.changes.last();
      await store.removal.forget({ kind: 'session', agent: 'claude-code', id: 's1' }, { rules, now: base });
      expect((await store.changes.after(before, 10)).map(told)).toContain('gone');
      expect(JSON.stringify(await store.changes.after(0, 1000))).not.toContain('s1');
      expect(await store.changes.last()).toBeGreaterThan(before);
    });

    it('that were not committed are not reported', async () => {
      const { store } = open();
      await store.transcripts.commit([chunk([entry('a', 'one')])], rules);
      const before = await store.changes.last();
      await store.removal.forget(
        { kind: 'session', agent: 'claude-code', id: 's1' },
        { rules, now: base, dryRun: true },
      );
      expect(await store.changes.after(before, 10)).toEqual([]);
    });
  });

  describe('store.entries: a part of a transcript', () => {
    it('is the same as that part of the whole, by position or around an entry', async () => {
      const { store } = open();
      await store.transcripts.commit([chunk(Array.from({ length: 30 }, (_, i) => entry(`e${i}`, `said ${i}`)))], rules);
      const whole = await store.entries.transcript('claude-code', 's1');
      expect(await store.entries.page('claude-code', 's1', { from: 10, limit: 7 })).toEqual({
        total: 30,
        from: 10,
        entries: whole.slice(10, 17),
      });
      expect(await store.entries.page('claude-code', 's1', { around: 'e20', limit: 5 })).toEqual({
        total: 30,
        from: 18,
        entries: whole.slice(18, 23),
      });
      expect(await store.entries.order('claude-code', 's1', { subagents: true })).toHaveLength(30);
      // Where a subagent spoke, and where history stands in two files, the store sorts first. The result is the same.
      await store.transcripts.commit(
        [
          chunk([entry('x1', 'found'), entry('x2', 'it')], { key: 'p/s1/subagents/agent-a.jsonl', subagent: 'a' }),
          chunk([entry('e3', 'said 3'), entry('e30', 'went on')], { key: 'p/s1-fork.jsonl', bornAt: base + 1 }),
        ],
        rules,
      );
      for (const subagents of [false, true]) {
        const all = await store.entries.transcript('claude-code', 's1', { subagents });
        const part = await store.entries.page('claude-code', 's1', { subagents, from: 2, limit: 9 });
        expect(part).toEqual({ total: all.length, from: 2, entries: all.slice(2, 11) });
        const rows = await store.entries.order('claude-code', 's1', { subagents });
        expect((await store.entries.at(rows)).map((one) => one.entry)).toEqual(all);
        const around = await store.entries.page('claude-code', 's1', { subagents, around: 'e9', limit: 3 });
        expect(around.entries.map(({ id }) => id)).toEqual(['e8', 'e9', 'e10']);
      }
      expect(await store.entries.page('claude-code', 's1', { from: 40, limit: 5 })).toMatchObject({ entries: [] });
      expect(await store.entries.page('claude-code', 'none', { limit: 5 })).toEqual({
        total: 0,
        from: 0,
        entries: [],
      });
    });
  });
}
