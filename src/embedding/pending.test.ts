import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunk, entry, rules } from '../../test/contracts/chunks.ts';
import { loadConfig } from '../config/config.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import type { Embedder } from './embedder.ts';
import { embedPending, noteTrouble } from './pending.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-embedding-'));
  store = await openSqliteStore(path.join(folder, 'holdfast.db'));
});
afterEach(async () => {
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const config = (env: NodeJS.ProcessEnv = {}) => loadConfig({ HOME: folder, ...env });
const commit = (...texts: string[]) =>
  store.transcripts.commit([chunk(texts.map((text, i) => entry(`${text} ${i}`, text)))], rules);

/** An embedder that records its input. */
function fake(more: Partial<Embedder> = {}): Embedder & { given: string[][] } {
  const given: string[][] = [];
  return {
    model: 'fake 1',
    instant: false,
    batch: 2,
    given,
    async embed(texts) {
      given.push([...texts]);
      return texts.map((text) => (text === '' ? [] : [new Int8Array(16).fill(text.length)]));
    },
    query: async (text) => new Int8Array(16).fill(text.length),
    close: async () => {},
    ...more,
  };
}

describe('embedding pending texts', () => {
  it('stores all vectors of a text, the last one last', async () => {
    await commit('two parts', 'one');
    const vectors = [new Int8Array(16).fill(1), new Int8Array(16).fill(2)];
    const embedder = fake({ embed: async (texts) => texts.map((text) => vectors.slice(text === 'one' ? 1 : 0)) });
    await embedPending({ store, config: config(), embedder });
    const page = await store.vectors.of([1, 2], { kind: 'entry', model: 'fake 1' });
    const first = (id: number) => page.ids.flatMap((one, i) => (one === id ? [page.vectors[i * 16]] : []));
    expect([first(1), first(2)]).toEqual([[1, 2], [2]]);
    expect(await store.vectors.counts()).toEqual({ embedded: 2, pending: 0, rough: 0 });
  });

  it('goes through everything once, in batches, without empty texts', async () => {
    await commit('one', 'two', 'three', '');
    const embedder = fake();
    const seen: [number, number][] = [];
    expect(
      await embedPending({ store, config: config(), embedder, progress: (done, total) => seen.push([done, total]) }),
    ).toBe('done');
    expect(embedder.given).toEqual([['three', 'two'], ['one']]);
    expect(seen).toEqual([
      [2, 3],
      [3, 3],
    ]);
    expect(await embedPending({ store, config: config(), embedder })).toBe('done');
    expect(embedder.given).toHaveLength(2);
    expect(await store.vectors.models()).toEqual([{ name: 'fake 1', dimensions: 16, wanted: true, complete: true }]);
  });

  it('reads closely only when asked to, and continues after it was stopped', async () => {
    await commit(...Array.from({ length: 20 }, (_, i) => `text ${i}`));
    const read: string[] = [];
    const stop = new AbortController();
    const refining = (more: Partial<Embedder> = {}) =>
      fake({
        instant: true,
        batch: 100,
        async refine(texts) {
          read.push(...texts.map(({ text }) => text));
          return texts.map(() => [new Int8Array(16).fill(99)]);
        },
        ...more,
      });
    expect(await embedPending({ store, config: config(), embedder: refining() })).toBe('done');
    expect(await store.vectors.counts()).toEqual({ embedded: 20, pending: 0, rough: 20 });
    const stopping = refining({
      async refine(texts) {
        read.push(...texts.map(({ text }) => text));
        stop.abort();
        return texts.map(() => [new Int8Array(16).fill(99)]);
      },
    });
    const interrupted = await embedPending({
      store,
      config: config(),
      embedder: stopping,
      refine: true,
      signal: stop.signal,
    });
    expect(interrupted).toBe('stopped');
    const { rough } = await store.vectors.counts();
    expect(rough).toBe(20 - read.length);
    expect(await embedPending({ store, config: config(), embedder: refining(), refine: true })).toBe('done');
    expect(await store.vectors.counts()).toEqual({ embedded: 20, pending: 0, rough: 0 });
    expect(read.sort()).toEqual(Array.from({ length: 20 }, (_, i) => `text ${i}`).sort());
  });

  it('makes everything findable with the built-in table, and does nothing if the settings want no vectors', async () => {
    await commit('the database is slow', 'add an index');
    expect(await embedPending({ store, config: config({ HOLDFAST_EMBEDDING_KIND: 'none' }) })).toBe('off');
    expect(await store.vectors.counts()).toEqual({ embedded: 0, pending: 2, rough: 0 });
    expect(await embedPending({ store, config: config() })).toBe('done');
    expect(await store.vectors.counts()).toEqual({ embedded: 2, pending: 0, rough: 2 });
  });

  it('embeds again for another model, and leaves nothing of the old one', async () => {
    await commit('one', 'two');
    await embedPending({ store, config: config(), embedder: fake() });
    await embedPending({ store, config: config(), embedder: fake({ model: 'fake 2' }) });
    expect((await store.vectors.models()).map(({ name }) => name)).toEqual(['fake 2']);
    expect(await store.vectors.counts()).toEqual({ embedded: 2, pending: 0, rough: 0 });
  });

  it('keeps finished work when the embedder fails, says why, and continues from there', async () => {
    await commit('one', 'two', 'three');
    let calls = 0;
    const working = fake();
    const failing = fake({
      embed: async (texts) => {
        if (++calls === 2) throw new Error('the cable is out');
        return working.embed(texts);
      },
    });
    await expect(embedPending({ store, config: config(), embedder: failing })).rejects.toThrow('the cable is out');
    expect(await store.vectors.counts()).toEqual({ embedded: 2, pending: 1, rough: 0 });
    expect(await embedPending({ store, config: config(), embedder: working })).toBe('done');
    expect(working.given).toEqual([['three', 'two'], ['one']]);
  });

  it('stops between two batches when asked to', async () => {
    await commit('one', 'two', 'three');
    const stop = new AbortController();
    const embedder = fake();
    const progress = () => stop.abort();
    expect(await embedPending({ store, config: config(), embedder, progress, signal: stop.signal })).toBe('stopped');
    expect(await store.vectors.counts()).toEqual({ embedded: 2, pending: 1, rough: 0 });
  });

  it('leaves slow work to the process that already does it', async () => {
    await commit('one');
    const embedder = fake();
    await store.vectors.lease('another process', 0, 1000);
    expect(await embedPending({ store, config: config(), embedder, clock: () => 500 })).toBe('elsewhere');
    expect(await embedPending({ store, config: config(), embedder, instantOnly: true })).toBe('elsewhere');
    expect(embedder.given).toEqual([]);
    expect(await embedPending({ store, config: config(), embedder, clock: () => 1500 })).toBe('done');
  });

  it('waits longer after each failure, an hour at most', async () => {
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const { at, nextAt } = await noteTrouble({ store, clock: () => 1000 * i }, new Error('no answer'));
      waits.push((nextAt - at) / 60_000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });
});
