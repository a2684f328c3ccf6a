import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chunk, entry, rules } from '../../../test/contracts/chunks.ts';
import { observation } from '../../../test/contracts/store-distilled.ts';
import { takeObservation } from '../../../test/distilled.ts';
import { loadConfig } from '../../config/config.ts';
import { embedPending } from '../../embedding/pending.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { type Meaning, openMeaning } from './index.ts';

let folder: string;
let store: Store;
let meaning: Meaning | undefined;
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-meaning-'));
  store = await openSqliteStore(path.join(folder, 'holdfast.db'));
});
afterEach(async () => {
  await meaning?.close();
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const config = (env: NodeJS.ProcessEnv = {}) => loadConfig({ HOME: folder, ...env });
const texts = ["let's stop re-sending failed batches", 'a recipe for apple pie', 'the train was two hours late'];
const commit = () => store.transcripts.commit([chunk(texts.map((text, i) => entry(`e${i}`, text)))], rules);

async function nearest(query: string): Promise<string | undefined> {
  const { search, places } = (await meaning?.ready()) ?? {};
  const vector = await search?.embed(query);
  if (search === undefined || places === undefined || vector === undefined) return undefined;
  const cosines = await search.scan(vector);
  const best = cosines.indexOf(Math.max(...cosines));
  return (await store.entries.at([places.rowid[best] as number]))[0]?.entry.text;
}

it('finds the meaning if no word is shared, and what is imported later', async () => {
  await commit();
  await embedPending({ store, config: config() });
  meaning = openMeaning({ store, config: config() });
  expect(await nearest('Where did we decide to drop the retry queue?')).toBe(texts[0]);
  await store.transcripts.commit([chunk([entry('late', 'a puppy lies on the lawn')], { from: 30 })], rules);
  await embedPending({ store, config: config() });
  expect(await nearest('the dog sleeps in the garden')).toBe('a puppy lies on the lawn');
});

it('says why there is nothing by meaning, and still knows where entries stand', async () => {
  await commit();
  meaning = openMeaning({ store, config: config({ HOLDFAST_EMBEDDING_KIND: 'none' }) });
  const off = await meaning.ready();
  expect(off).toMatchObject({ note: expect.stringContaining('switched off') });
  expect([off.search, off.places.size]).toEqual([undefined, 3]);
  await store.vectors.wantModel('something');
  meaning = openMeaning({ store, config: config() });
  expect(await meaning.ready()).toMatchObject({ note: expect.stringContaining('Nothing can be found by meaning yet') });
});

it('continues with the built-in table until another model is complete', async () => {
  await commit();
  await embedPending({ store, config: config() });
  const env = { HOLDFAST_EMBEDDING_KIND: 'ollama', HOLDFAST_EMBEDDING_URL: 'http://127.0.0.1:9' };
  meaning = openMeaning({ store, config: config(env) });
  await store.vectors.wantModel('ollama nomic-embed-text');
  const [first, ...others] = await store.vectors.pending(9);
  const vectors = [new Int8Array(32).fill(1)];
  const save = (pending: typeof others) =>
    store.vectors.save(
      'ollama nomic-embed-text',
      pending.map(({ kind, id, stamp }) => ({ kind, id, stamp, vectors })),
    );
  await save([first as (typeof others)[number]]);
  expect((await meaning.ready()).search?.model).toMatch(/^holdfast-static/);
  expect(await nearest('Where did we decide to drop the retry queue?')).toBe(texts[0]);
  await save(others);
  const after = await meaning.ready();
  expect(after.search?.model).toBe('ollama nomic-embed-text');
  await expect(after.search?.embed('x')).rejects.toMatchObject({ code: 'UNREACHABLE' });
});

it('without an old model, says how much of the new one is ready', async () => {
  await commit();
  await store.vectors.wantModel('ollama nomic-embed-text');
  const [first] = await store.vectors.pending(1);
  const vectors = [new Int8Array(32).fill(1)];
  await store.vectors.save('ollama nomic-embed-text', first ? [{ ...first, vectors }] : []);
  meaning = openMeaning({ store, config: config({ HOLDFAST_EMBEDDING_KIND: 'ollama' }) });
  expect(await meaning.ready()).toMatchObject({ note: 'Only 1 of 3 entries can be found by meaning so far.' });
});

it('a model that cannot be opened is a reason, not a failure', async () => {
  await commit();
  await embedPending({ store, config: config() });
  meaning = openMeaning({ store, config: config({ HOLDFAST_EMBEDDING_KIND: 'openai-compatible' }) });
  const { search, note } = await meaning.ready();
  expect(search).toBeUndefined();
  expect(note).toContain('embedding.url is not set');
});

it('compares a query with distilled data as it comes and goes', async () => {
  await commit();
  const save = (prompt: number, first: string, title: string) =>
    takeObservation(store, observation(first, { prompt, title, subtitle: '', narrative: '' }));
  await save(1, 'e0', 'Failed batches are not sent again');
  await save(2, 'e1', 'A pie was baked');
  await embedPending({ store, config: config() });
  meaning = openMeaning({ store, config: config() });
  const scan = async () => {
    const { search } = (await meaning?.ready()) ?? {};
    const vector = (await search?.embed('the retry queue was dropped')) as Int8Array;
    return [...((await search?.scanSubjects('observation', vector)) ?? [])];
  };
  const found = await scan();
  expect(found).toHaveLength(2);
  expect(found[0]?.[1]).toBeGreaterThan(found[1]?.[1] as number);
  await store.removal.deleteSessions([{ agent: 'claude-code', session: 's1' }], rules);
  expect(await scan()).toEqual([]);
});
