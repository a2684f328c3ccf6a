import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { demoMemory, emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { distillAll } from '../../../test/distilled.ts';
import { apply, fact } from '../../../test/memory-stand.ts';
import { fillVault } from '../../capture/vault/vault.ts';
import { archiveSession } from '../../sessions/archives/archives.ts';
import { sessionsDelete } from './sessions.ts';

const plainly = { dryRun: false, yes: false } as const;

it('23. deleting a session deletes everything derived from it, and nothing else', async () => {
  const { context, store } = await demoMemory();
  const before = await store.entries.counts();
  const [victim] = (await store.sessions.list({})).filter((session) => session.subagentEntries > 0);
  if (victim === undefined) throw new Error('the sample has a session with a subagent');
  const entries = await store.entries.transcript(victim.agent, victim.id, { subagents: true });
  await store.sessions.note({ agent: victim.agent, session: victim.id, at: 1, event: 'end' });

  const gone = await sessionsDelete.run(context, { ...plainly, id: victim.id.slice(0, 8) });
  expect(gone).toMatchObject({ session: victim.id, entries: entries.length, toolUses: victim.toolUses });
  const after = await store.entries.counts();
  expect(after.entries).toBe(before.entries - entries.length);
  expect(after.toolUses).toBe(before.toolUses - victim.toolUses);
  expect(after.sessions).toBe(before.sessions - 1);
  expect(await store.sessions.find(victim.id)).toEqual([]);
  expect(await store.sessions.state(victim.agent, victim.id)).toBeUndefined();
  expect((await store.conversations.list({})).filter((one) => one.session === victim.id)).toEqual([]);
  expect(await store.admin.integrity()).toEqual([]);
  await expect(sessionsDelete.run(context, { ...plainly, id: victim.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

/** Tables and files that contain the word, and the number of vectors of each kind. */
function traces({ home, context: { store } }: Memory, word: string) {
  const db = new Database(store.location, { readonly: true });
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%!_fts%' ESCAPE '!' ORDER BY name")
    .pluck()
    .all() as string[];
  const holds = (row: unknown) => JSON.stringify(row).includes(word);
  const found = {
    tables: tables.filter((table) => db.prepare(`SELECT * FROM ${table}`).all().some(holds)),
    files: fs
      .readdirSync(path.join(home, 'memory'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(md|gz)$/.test(file))
      .filter((file) => {
        const bytes = fs.readFileSync(path.join(home, 'memory', file));
        return (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8').includes(word);
      })
      .sort(),
    vectors: db.prepare('SELECT kind, count(*) AS n FROM vectors GROUP BY kind ORDER BY kind').all(),
  };
  db.close();
  return found;
}

it('with its observations, summary, memories, their vectors, archive and copy; what other sessions gave stays', async () => {
  const memory = await emptyMemory();
  const { store, config, clock } = memory.context;
  for (const [session, word] of [
    ['s-one', 'quixotoplasm'],
    ['s-two', 'lighthouse'],
  ] as const)
    await tell(memory, session, '/home/dev/tide', '2026-10-01T10:00:00Z', [
      { by: 'user', text: `Store the ${word} in the table` },
      { by: 'assistant', text: `Stored the ${word}.`, uses: [{ name: 'Bash', input: { command: `grep ${word} a` } }] },
    ]);
  await distillAll(store);
  for (const told of await store.conversations.list({})) {
    const word = told.session === 's-one' ? 'quixotoplasm' : 'lighthouse';
    const episodes = [{ at: told.firstAt, title: `The ${word}`, text: `About the ${word}.` }];
    await apply(memory, told, { ...fact(`the ${told.session}`, `It is ${word}`), episodes });
    await archiveSession({ store, config, clock }, { agent: told.agent, session: told.session });
  }
  await fillVault({ store, config, clock }, { quietMs: Number.NEGATIVE_INFINITY });
  await store.vectors.wantModel('m');
  const texts = await store.vectors.pending(1000);
  await store.vectors.save(
    'm',
    texts.map(({ kind, id, stamp }) => ({ kind, id, stamp, vectors: [Int8Array.of(1, 2)] })),
  );
  const before = traces(memory, 'quixotoplasm');
  expect(before.tables).toEqual(expect.arrayContaining(['entries', 'observations', 'summaries', 'extractions']));
  expect(before.tables).toEqual(expect.arrayContaining(['statements', 'memories', 'memory_pages', 'tool_uses']));
  expect(before.files).toHaveLength(5);
  expect(before.vectors.length).toBe(4);
  const other = traces(memory, 'lighthouse');

  const asked: string[] = [];
  const agrees = async (question: string) => {
    asked.push(question);
    return false;
  };
  const person = { piped: async () => undefined, edit: async () => false, agrees };
  const kept = await sessionsDelete.run({ ...memory.context, person }, { ...plainly, id: 's-one' });
  expect(kept).toEqual({ ...(await sessionsDelete.run(memory.context, { ...plainly, id: 's-one', dryRun: true })) });
  expect(asked).toEqual([
    'Delete the session Store the quixotoplasm in the table: 2 entries, 1 tool use, 1 conversation, memories of 1 conversation, 1 copy in the vault, 1 archive?',
  ]);
  expect(traces(memory, 'quixotoplasm')).toEqual(before);

  const gone = await sessionsDelete.run(memory.context, { ...plainly, id: 's-one' });
  expect(gone).toEqual({ ...kept, deleted: true });
  expect(gone).toMatchObject({ memories: 1, copies: 1, kept: [] });
  expect(gone.archives).toHaveLength(1);
  const half = (before.vectors as { kind: number; n: number }[]).map(({ kind, n }) => ({ kind, n: n / 2 }));
  expect(traces(memory, 'quixotoplasm')).toEqual({ tables: [], files: [], vectors: half });
  expect(traces(memory, 'lighthouse')).toEqual({ ...other, vectors: half });
  expect(await store.admin.integrity()).toEqual([]);
});
