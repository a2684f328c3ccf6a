// The part of the store's contract about vectors: the store knows which texts lack one, and no vector outlives its text.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import type { Chunk } from '../../src/store/transcripts/port.ts';
import type { PendingText } from '../../src/store/vectors/port.ts';
import { chunk, entry, rules } from './chunks.ts';

export function describeVectors(open: () => { store: Store; reopen(): Promise<Store> }): void {
  describe('store.vectors', () => {
    let store: Store;
    beforeEach(() => {
      store = open().store;
    });
    const commit = (...chunks: Chunk[]) => store.transcripts.commit(chunks, rules);
    const vector = (...numbers: number[]) => Int8Array.from({ length: 16 }, (_, i) => numbers[i] ?? 0);
    const done = (pending: readonly PendingText[], ...parts: Int8Array[]) =>
      pending.map(({ kind, id, stamp }) => ({ kind, id, stamp, vectors: parts }));
    const texts = async () => (await store.vectors.pending(100)).map(({ text }) => text).sort();
    const stored = async (model: string) => {
      const { ids, vectors } = await store.vectors.after(0, { kind: 'entry', model, limit: 100 });
      const entries = await store.entries.at(ids);
      return entries.map(({ entry: { text } }, i) => `${text}: ${vectors[i * 16]}`).sort();
    };
    const embedAll = async (model: string, first = 1) => {
      await store.vectors.wantModel(model);
      return store.vectors.save(model, done(await store.vectors.pending(100), vector(first)));
    };

    it('knows which texts lack a vector, the newest first, and none twice', async () => {
      await commit(chunk([entry('a', 'one'), entry('b', 'two')]));
      await commit(chunk([entry('c', 'three')], { from: 20 }));
      await store.vectors.wantModel('m1');
      expect((await store.vectors.pending(2)).map(({ text }) => text)).toEqual(['three', 'two']);
      expect(await store.vectors.counts()).toEqual({ embedded: 0, pending: 3, rough: 0 });
      expect(await store.vectors.save('m1', done(await store.vectors.pending(2), vector(1)))).toBe(2);
      expect(await texts()).toEqual(['one']);
      expect(await store.vectors.counts()).toEqual({ embedded: 2, pending: 1, rough: 0 });
    });

    it('are no change that wakes live viewers, whose pages show none', async () => {
      await commit(chunk([entry('a', 'one'), entry('b', 'two')]));
      const before = await store.changes.last();
      await store.vectors.wantModel('m1');
      await store.vectors.save('m1', done(await store.vectors.pending(100), vector(1)), { rough: true });
      const rough = await store.vectors.rough(10);
      expect(
        await store.vectors.refine(
          'm1',
          rough.map(({ seq }) => ({ seq, vectors: [vector(2)] })),
        ),
      ).toBe(2);
      expect(await store.changes.last()).toBe(before);
      expect((await store.vectors.placesAfter(0, { model: 'm1', limit: 10 })).vectors.every((seq) => seq > 0)).toBe(
        true,
      );
    });

    it('knows which vectors are rough, newest first, and replaces them with better ones', async () => {
      await commit(chunk([entry('a', 'one'), entry('b', 'two'), entry('c', 'three')]));
      await store.vectors.wantModel('m1');
      await store.vectors.save('m1', done(await store.vectors.pending(9), vector(1)), { rough: true });
      expect(await store.vectors.counts()).toEqual({ embedded: 3, pending: 0, rough: 3 });
      const rough = await store.vectors.rough(2);
      expect(rough.map(({ text }) => text)).toHaveLength(2);
      expect((await store.vectors.rough(9, [1])).map(({ text }) => text)).toEqual(['one']);
      const better = rough.map(({ seq }, i) => ({ seq, vectors: i === 0 ? [vector(7)] : [] }));
      expect(await store.vectors.refine('m1', better)).toBe(2);
      expect(await store.vectors.refine('m1', better)).toBe(0);
      expect(await store.vectors.counts()).toEqual({ embedded: 3, pending: 0, rough: 1 });
      expect(await stored('m1')).toContain(`${rough[0]?.text}: 7`);
      expect(await stored('m1')).toContain(`${rough[1]?.text}: 1`);
    });

    it('replaces a rough vector with several, of passages and of the whole, which stays the newest', async () => {
      await commit(chunk([entry('a', 'one')]));
      await store.vectors.wantModel('m1');
      await store.vectors.save('m1', done(await store.vectors.pending(9), vector(1)), { rough: true });
      const [rough] = await store.vectors.rough(9);
      const better = [{ seq: rough?.seq ?? 0, vectors: [vector(5), vector(6), vector(7)] }];
      expect(await store.vectors.refine('m1', better)).toBe(1);
      const page = await store.vectors.after(0, { kind: 'entry', model: 'm1', limit: 9 });
      expect([0, 1, 2].map((i) => page.vectors[i * 16])).toEqual([5, 6, 7]);
      expect(new Set(page.ids).size).toBe(1);
      expect((await store.vectors.placesAfter(0, { model: 'm1', limit: 9 })).vectors).toEqual([page.seqs[2]]);
      expect(await store.vectors.counts()).toEqual({ embedded: 1, pending: 0, rough: 0 });
    });

    it('refines all parts of a text or none', async () => {
      await commit(chunk([entry('a', 'one')]));
      await store.vectors.wantModel('m1');
      await store.vectors.save('m1', done(await store.vectors.pending(9), vector(1)), { rough: true });
      const [rough] = await store.vectors.rough(9);
      const broken = [{ seq: rough?.seq ?? 0, vectors: [vector(5), new Int8Array(8).fill(6)] }];
      await expect(store.vectors.refine('m1', broken)).rejects.toThrow('8 numbers');
      expect(await stored('m1')).toEqual(['one: 1']);
      expect(await store.vectors.counts()).toEqual({ embedded: 1, pending: 0, rough: 1 });
    });

    it('gives the own words of an entry for close reading only if its session used tools', async () => {
      const use = { id: 'u1', tool: 'Bash', input: '{"command":"npm test"}', files: [] };
      await commit(
        chunk([entry('a', 'Run the tests'), entry('b', 'Done.', { tools: ['Bash'], toolUses: [use] })]),
        chunk([entry('c', 'Good morning', { session: 's2' })], { key: 'p/s2.jsonl' }),
      );
      await store.vectors.wantModel('m1');
      await store.vectors.save('m1', done(await store.vectors.pending(9), vector(1)), { rough: true });
      const said = (await store.vectors.rough(9)).map((one) => [one.text.split('\n')[0], one.said]);
      expect(said.sort()).toEqual([
        ['Done.', 'Done.'],
        ['Good morning', undefined],
        ['Run the tests', 'Run the tests'],
      ]);
    });

    it('refines no vector of a changed or deleted text, nor of a model that is no longer wanted', async () => {
      await commit(chunk([entry('a', 'one'), entry('b', 'two')]));
      await store.vectors.wantModel('m1');
      await store.vectors.save('m1', done(await store.vectors.pending(9), vector(1)), { rough: true });
      const rough = await store.vectors.rough(9);
      const better = rough.map(({ seq }) => ({ seq, vectors: [vector(7)] }));
      await store.vectors.wantModel('m2');
      expect(await store.vectors.refine('m1', better)).toBe(0);
      await embedAll('m2');
      while (!(await store.vectors.dropOld(100)));
      expect(await store.vectors.rough(9)).toEqual([]);
      await store.vectors.wantModel('m1');
      expect(await store.vectors.refine('m1', better)).toBe(0);
    });

    it('wants none for an empty text, unless the entry has tool uses', async () => {
      const toolUses = [{ id: 't1', tool: 'Bash', input: '{"command":"npm test"}', files: [] }];
      await commit(
        chunk([
          entry('a', '', { tools: ['Read'] }),
          entry('b', ''),
          entry('c', 'Done.', { tools: ['Read'] }),
          entry('d', '', { tools: ['Bash'], toolUses }),
        ]),
      );
      expect(await texts()).toEqual(['Done.', 'npm test']);
    });

    it('takes a text without content off the list, without a vector', async () => {
      await commit(chunk([entry('a', '…')]));
      await store.vectors.wantModel('m1');
      await store.vectors.save('m1', done(await store.vectors.pending(1)));
      expect(await store.vectors.counts()).toEqual({ embedded: 0, pending: 0, rough: 0 });
    });

    it('returns vectors as saved, all parts, also through another connection', async () => {
      await commit(chunk([entry('a', 'long'), entry('b', 'short')]));
      await store.vectors.wantModel('m1');
      const [short, long] = await store.vectors.pending(2);
      await store.vectors.save('m1', [
        ...done([long as PendingText], vector(-128, 127), vector(0, -1)),
        ...done([short as PendingText], vector(9)),
      ]);
      const other = await open().reopen();
      const page = await other.vectors.after(0, { kind: 'entry', model: 'm1', limit: 10 });
      expect(page.ids).toEqual([long?.id, long?.id, short?.id]);
      expect([...page.vectors]).toEqual([vector(-128, 127), vector(0, -1), vector(9)].flatMap((each) => [...each]));
      expect(await other.vectors.after(page.seqs[0] as number, { kind: 'entry', model: 'm1', limit: 1 })).toMatchObject(
        {
          seqs: [page.seqs[1]],
        },
      );
      expect(await other.vectors.of([short?.id as number, 999], { kind: 'entry', model: 'm1' })).toMatchObject({
        ids: [short?.id],
      });
      expect((await other.vectors.at([page.seqs[2] as number, 999, page.seqs[0] as number])).seqs).toEqual([
        page.seqs[2],
        page.seqs[0],
      ]);
      expect(await other.vectors.after(0, { kind: 'entry', model: 'another', limit: 10 })).toMatchObject({ ids: [] });
    });

    it('a changed text loses its vector at once, and a deleted text takes it along', async () => {
      await commit(chunk([entry('a', 'stays'), entry('b', 'changes'), entry('c', 'goes')]));
      await embedAll('m1');
      await commit(chunk([entry('a', 'stays'), entry('b', 'has changed')], { restart: true, prune: true }));
      expect(await stored('m1')).toEqual(['stays: 1']);
      expect(await texts()).toEqual(['has changed']);
      await store.removal.rewriteTexts(
        99,
        { text: (text) => text.replace('stays', '[secret]'), json: (text) => text },
        100,
      );
      expect(await stored('m1')).toEqual([]);
      await embedAll('m1', 2);
      expect(await stored('m1')).toEqual(['[secret]: 2', 'has changed: 2']);
      await store.removal.deleteSessions([{ agent: 'claude-code', session: 's1' }], rules);
      expect((await store.vectors.after(0, { kind: 'entry', model: 'm1', limit: 9 })).ids).toEqual([]);
      expect(await store.vectors.pending(9)).toEqual([]);
      expect(await store.admin.integrity()).toEqual([]);
    });

    it('refuses the vector of a text that has changed since it was read', async () => {
      await commit(chunk([entry('a', 'before')]));
      await store.vectors.wantModel('m1');
      const read = await store.vectors.pending(1);
      await commit(chunk([entry('a', 'after')], { restart: true, prune: true }));
      expect(await store.vectors.save('m1', done(read, vector(1)))).toBe(0);
      expect(await texts()).toEqual(['after']);
    });

    it('if two processes embed the same text, it takes one vector', async () => {
      await commit(chunk([entry('a', 'x')]));
      await store.vectors.wantModel('m1');
      const [first, second] = [await store.vectors.pending(1), await store.vectors.pending(1)];
      expect(await store.vectors.save('m1', done(first, vector(1)))).toBe(1);
      expect(await store.vectors.save('m1', done(second, vector(2)))).toBe(0);
      expect(await stored('m1')).toEqual(['x: 1']);
    });

    it('keeps the vectors of the old model until the new one is complete, then drops them', async () => {
      await commit(chunk([entry('a', 'one'), entry('b', 'two')]));
      await embedAll('old');
      expect(await store.vectors.models()).toEqual([{ name: 'old', dimensions: 16, wanted: true, complete: true }]);
      await store.vectors.wantModel('new');
      await store.vectors.save('new', done(await store.vectors.pending(1), vector(2)));
      expect(await store.vectors.dropOld(10)).toBe(true);
      expect(await stored('old')).toEqual(['one: 1', 'two: 1']);
      expect(await store.vectors.models()).toMatchObject([
        { name: 'old', wanted: false, complete: true },
        { name: 'new', wanted: true, complete: false },
      ]);
      await store.vectors.save('new', done(await store.vectors.pending(1), vector(2)));
      expect(await store.vectors.dropOld(1)).toBe(false);
      while (!(await store.vectors.dropOld(1)));
      expect(await store.vectors.models()).toMatchObject([{ name: 'new', wanted: true, complete: true }]);
      expect([await stored('old'), await stored('new')]).toEqual([[], ['one: 2', 'two: 2']]);
    });

    it('going back to the old model asks only for texts that arrived in between', async () => {
      await commit(chunk([entry('a', 'one')]));
      await embedAll('old');
      await store.vectors.wantModel('new');
      const half = await store.vectors.pending(1);
      await commit(chunk([entry('b', 'two')], { from: 10 }));
      await store.vectors.wantModel('old');
      expect(await texts()).toEqual(['two']);
      expect(await store.vectors.save('new', done(half, vector(2)))).toBe(0);
    });

    it('refuses vectors of a different length, and saves none of the batch', async () => {
      await commit(chunk([entry('a', 'one'), entry('b', 'two')]));
      await store.vectors.wantModel('m1');
      const [two, one] = (await store.vectors.pending(2)) as [PendingText, PendingText];
      const wrong = [...done([two], vector(1)), ...done([one], new Int8Array(32).fill(1))];
      await expect(store.vectors.save('m1', wrong)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await texts()).toEqual(['one', 'two']);
    });

    it('lets one process at a time embed, until its time is over', async () => {
      expect(await store.vectors.lease('a', 0, 100)).toBe(true);
      expect(await store.vectors.lease('b', 50, 150)).toBe(false);
      expect(await store.vectors.lease('b', 50, undefined)).toBe(false);
      expect(await store.vectors.lease('a', 60, 160)).toBe(true);
      expect(await store.vectors.lease('b', 161, 200)).toBe(true);
      expect(await store.vectors.lease('b', 170, undefined)).toBe(true);
      expect(await store.vectors.lease('a', 171, 200)).toBe(true);
    });

    it('remembers why embedding failed, until it works', async () => {
      await commit(chunk([entry('a', 'x')]));
      await store.vectors.wantModel('m1');
      const trouble = { at: 1, message: 'no answer', hint: 'Start it.', nextAt: 2 };
      await store.vectors.noteTrouble(trouble);
      expect(await store.vectors.trouble()).toEqual(trouble);
      await embedAll('m1');
      expect(await store.vectors.trouble()).toBeUndefined();
    });

    it('lists sessions that have changed since a position, as a whole, including deleted ones', async () => {
      await commit(
        chunk([entry('a', 'one'), entry('b', 'three', { role: 'assistant', author: 'model' })]),
        chunk([entry('x', 'other', { session: 's2' })], { key: 'p/s2.jsonl' }),
      );
      const first = await store.vectors.placesAfter(0, { limit: 100 });
      expect(first.done).toBe(true);
      expect([first.marks, first.lengths]).toEqual([
        [64, 1, 64],
        [3, 5, 5],
      ]);
      expect(await store.vectors.placesAfter(first.position, { limit: 100 })).toMatchObject({
        sessions: [],
        ids: [],
        position: first.position,
        done: true,
      });
      expect(await store.vectors.newest()).toBe(0);
      await embedAll('m1');
      // New vectors alone are no change of a session. Their numbers show them.
      expect(await store.vectors.placesAfter(first.position, { model: 'm1', limit: 9 })).toMatchObject({ ids: [] });
      const { seqs } = await store.vectors.after(0, { kind: 'entry', model: 'm1', limit: 9 });
      expect(await store.vectors.newest()).toBe(seqs.at(-1));
      await commit(chunk([entry('c', 'four')], { from: 20 }));
      await embedAll('m1');
      await store.removal.deleteSessions([{ agent: 'claude-code', session: 's2' }], rules);
      const next = await store.vectors.placesAfter(first.position, { model: 'm1', limit: 1 });
      expect(next).toMatchObject({ done: false });
      expect([next.ids, next.vectors]).toEqual([next.ids, next.ids.map(() => expect.any(Number))]);
      expect(Math.min(...next.ids, ...next.vectors)).toBeGreaterThan(0);
      const last = await store.vectors.placesAfter(next.position, { model: 'm1', limit: 100 });
      expect(last).toMatchObject({ done: true, sessions: [expect.any(Number)], ids: [0] });
    });

    it('knows which entries end with a question, also after their texts have changed', async () => {
      const marks = async () => (await store.vectors.placesAfter(0, { limit: 100 })).marks.map((one) => one & 32);
      const long = 'x'.repeat(300);
      await commit(
        chunk([entry('a', 'why?'), entry('b', 'so'), entry('c', `why? ${long}`), entry('d', `${long} why?`)]),
      );
      expect(await marks()).toEqual([32, 0, 0, 32]);
      await commit(chunk([entry('a', 'so'), entry('b', 'why? so')], { restart: true, prune: true }));
      expect(await marks()).toEqual([0, 32]);
      await commit(chunk([entry('x', 'so'), entry('y', 'so')], { key: 'p/s3.jsonl' }));
      expect((await marks()).sort()).toEqual([0, 0, 0, 32]);
    });

    it('returns entries by row in the order asked, and the rows of sessions that pass a filter', async () => {
      const place = [{ session: 's2', cwd: '/w/reef', projectPath: '/w/reef', title: 'Reef' }];
      await commit(chunk([entry('a', 'one'), entry('b', 'two')]));
      await commit(chunk([entry('c', 'x', { session: 's2' })], { key: 'k', agent: 'pi', sessions: place }));
      const { ids, sessions } = await store.vectors.placesAfter(0, { limit: 9 });
      const [a, b, c] = ids as [number, number, number];
      const found = await store.entries.at([c, 999, a, b]);
      expect(found.map(({ row, entry: { id } }) => [row, id])).toEqual([
        [c, 'c'],
        [a, 'a'],
        [b, 'b'],
      ]);
      expect(found[0]).toMatchObject({ project: 'reef', title: 'Reef' });
      const all = [...new Set(sessions)];
      expect(await store.sessions.rows({})).toEqual(all);
      expect(await store.sessions.rows({ agent: 'pi' })).toEqual([all[1]]);
      expect(await store.sessions.rows({ project: { name: 'tide' } })).toEqual([all[0]]);
    });
  });
}
