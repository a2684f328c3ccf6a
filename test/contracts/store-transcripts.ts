// The contract of `store.transcripts`: what every engine must do.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { chunk, committing, entry, finding } from './chunks.ts';
import type { OpenStore } from './store.ts';

export function describeTranscripts(open: () => OpenStore): void {
  describe('store.transcripts', () => {
    let store: Store;
    let opened: OpenStore;
    beforeEach(() => {
      store = open().store;
      opened = open();
    });
    const commit = committing(open);
    const find = finding(open);

    it('returns what was committed, also through another connection', async () => {
      const text = 'Grüße 海の底 🐙 "quoted"\nline \u0000 two';
      await commit(
        chunk([entry('a', text), entry('b', 'answer', { role: 'assistant', author: 'model', tools: ['Read'] })], {
          state: { version: 1, agent: { ordinal: 3, name: 'x', flag: true }, capture: { title: 'A title' } },
          malformed: 2,
        }),
      );
      const other = await opened.reopen();
      for (const each of [store, other]) {
        const [first, second] = await each.entries.transcript('claude-code', 's1');
        expect(first).toEqual({
          id: 'a',
          session: 's1',
          agent: 'claude-code',
          role: 'user',
          author: 'person',
          at: '2026-05-01T12:00:00.000Z',
          text,
          tools: [],
          abandoned: false,
        });
        expect(second).toMatchObject({ id: 'b', tools: ['Read'] });
        expect(await each.transcripts.state('claude-code', 'p/s1.jsonl')).toMatchObject({
          offset: 20,
          malformed: 2,
          state: { version: 1, agent: { ordinal: 3, name: 'x', flag: true }, capture: { title: 'A title' } },
          status: 'ok',
          copies: new Map([['/root', 20]]),
        });
      }
      expect(await store.projects.list()).toMatchObject([{ name: 'tide', path: '/w/tide', sessions: 1, entries: 2 }]);
    });

    it('finds the states of transcripts with a private turn', async () => {
      const from = (capture: object) => ({ state: { version: 1 as const, agent: {}, capture } });
      await commit(
        chunk([entry('a', 'x')], from({ privateTurns: [{ from: 1, until: 2 }] })),
        chunk([entry('c', 'y', { session: 's2' })], { key: 'p/s2.jsonl', ...from({ title: 'privateTurns' }) }),
      );
      expect(await store.transcripts.privateStates('claude-code')).toMatchObject([
        { key: 'p/s1.jsonl', state: { capture: { privateTurns: [{ from: 1, until: 2 }] } } },
      ]);
      expect(await store.transcripts.privateStates('codex')).toEqual([]);
    });

    it('skips a stale chunk and says so; it takes the other chunks of the commit', async () => {
      await commit(chunk([entry('a', 'x')]));
      const late = chunk([entry('a', 'x')]);
      const other = chunk([entry('c', 'y', { session: 's2' })], { key: 'p/s2.jsonl' });
      const ahead = chunk([entry('z', 'z')], { from: 90 });
      expect(await commit(late, other, ahead)).toEqual([
        { stale: true, added: 0 },
        { stale: false, added: 1 },
        { stale: true, added: 0 },
      ]);
      expect(await store.entries.counts()).toMatchObject({ files: 2, entries: 2 });
    });

    it('takes all chunks of a commit or none', async () => {
      const broken = chunk([entry('b', null as unknown as string)], { key: 'q' });
      await expect(commit(chunk([entry('a', 'x')]), broken)).rejects.toThrow();
      expect(await store.entries.counts()).toMatchObject({ files: 0, entries: 0, sessions: 0, projects: 0 });
    });

    it('rereads from the start: missing entries are deleted, the others keep their place', async () => {
      await commit(chunk([entry('a', 'stays'), entry('b', 'goes')]));
      await commit(chunk([entry('c', 'came'), entry('a', 'stays, changed')], { restart: true, prune: true }));
      expect((await store.entries.transcript('claude-code', 's1')).map((each) => each.text)).toEqual([
        'came',
        'stays, changed',
      ]);
      expect(await find('goes')).toEqual([]);
      expect(await find('changed')).toEqual(['a']);
      expect(await store.admin.integrity()).toEqual([]);
    });

    it('records failures and copies without touching entries', async () => {
      await commit(chunk([entry('a', 'x')]));
      await store.transcripts.noteFailure('claude-code', 'p/s1.jsonl', '/root', 'denied');
      await store.transcripts.noteFailure('pi', 'never read', '/elsewhere', 'binary');
      await store.transcripts.noteCopies([{ agent: 'claude-code', key: 'p/s1.jsonl', root: '/backup', size: 7 }]);
      expect(await store.transcripts.state('claude-code', 'p/s1.jsonl')).toMatchObject({
        status: 'failed',
        error: 'denied',
        offset: 10,
        copies: new Map([
          ['/backup', 7],
          ['/root', 10],
        ]),
      });
      expect(await store.transcripts.state('pi', 'never read')).toMatchObject({ status: 'failed', offset: 0 });
      expect((await store.entries.transcript('claude-code', 's1')).length).toBe(1);
      await commit(chunk([entry('b', 'y')], { from: 10 }));
      expect(await store.transcripts.state('claude-code', 'p/s1.jsonl')).toMatchObject({
        status: 'ok',
        error: undefined,
      });
    });
  });
}
