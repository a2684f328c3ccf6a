// Sessions pulled from a database: once pulled, they stay; forgotten ones do not come back; the agent notices nothing.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { differences, workbench } from '../../../test/contracts/transcript-builder.ts';
import { addSession, fillWithSample, insert, openCodeDatabase } from '../../../test/opencode-database.ts';
import { openCode } from '../../agents/opencode/index.ts';
import { loadConfig } from '../../config/config.ts';
import { forget } from '../../operations/data/forget.ts';
import type { Context } from '../../operations/operation.ts';

async function bench(env: NodeJS.ProcessEnv = {}) {
  const made = await workbench(env);
  const folder = made.config.watchPath(openCode);
  const db = openCodeDatabase(path.join(folder, 'opencode.db'));
  const pulled = (session: string) => path.join(made.config.home, 'pulled', 'opencode', `${session}.jsonl`);
  const texts = async (session: string) =>
    (await made.store.entries.transcript('opencode', session)).map(({ text }) => text);
  return { ...made, db, folder, pulled, texts };
}

const held = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');

it('a session that the agent deletes stays in the memory', async () => {
  const { db, ingest, texts, rows } = await bench();
  fillWithSample(db);
  await ingest();
  const before = rows();
  for (const table of ['session', 'message', 'part', 'event_sequence']) db.exec(`DELETE FROM ${table}`);
  await ingest();
  expect(differences(rows(), before)).toEqual([]);
  expect(await texts('ses_e1e360d01ffeLEE7SpbcmoKL6C')).toHaveLength(9);
});

it('a second pull adds what is new, and nothing else', async () => {
  const { db, ingest, texts, pulled } = await bench();
  addSession(db, 'ses_a', [{ prompt: 'first', answer: 'one' }]);
  addSession(db, 'ses_b', [{ prompt: 'other', answer: 'two' }]);
  await ingest();
  const [a, b] = [held(pulled('ses_a')), held(pulled('ses_b'))];
  addSession(db, 'ses_a', [
    { prompt: 'first', answer: 'one' },
    { prompt: 'second', answer: 'three' },
  ]);
  expect(await ingest()).toMatchObject({ entries: { added: 2 }, files: { imported: 1 } });
  expect(held(pulled('ses_a')).startsWith(a)).toBe(true);
  expect(held(pulled('ses_b'))).toBe(b);
  expect(await texts('ses_a')).toEqual(['first', 'one', 'second', 'three']);
  expect(await ingest()).toMatchObject({ entries: { added: 0 }, files: { imported: 0 } });
});

it('an answer is pulled when it is finished, not while it streams', async () => {
  const { db, ingest, texts } = await bench();
  addSession(db, 'ses_a', [{ prompt: 'go' }]);
  const at = Date.parse('2026-03-02T09:00:05Z');
  const stamps = { session_id: 'ses_a', time_created: at };
  const answer = (text: string, done: boolean, updated: number) => {
    const time = { created: at, ...(done ? { completed: at + 9 } : {}) };
    insert(db, 'message', [{ ...stamps, id: 'msg_z', time_updated: updated, data: { role: 'assistant', time } }]);
    const part = { type: 'text', text, time: { start: at, ...(done ? { end: at + 8 } : {}) } };
    insert(db, 'part', [{ ...stamps, id: 'prt_z', message_id: 'msg_z', time_updated: updated, data: part }]);
  };
  const tool = (status: string, updated: number) => {
    const state = { status, input: { command: 'ls' }, output: 'a', time: { start: at }, metadata: { exit: 0 } };
    const data = { type: 'tool', tool: 'bash', callID: 'c1', state };
    insert(db, 'part', [{ ...stamps, id: 'prt_y', message_id: 'msg_z', time_updated: updated, data }]);
  };
  answer('half of', false, at);
  tool('running', at);
  await ingest();
  expect(await texts('ses_a')).toEqual(['go']);
  tool('completed', at + 1);
  answer('half of it', false, at + 2);
  await ingest();
  expect(await texts('ses_a')).toEqual(['go', '']);
  answer('all of it', true, at + 3);
  await ingest();
  expect(await texts('ses_a')).toEqual(['go', '', 'all of it']);
});

it('an unfinished answer of a killed agent is pulled once another answer begins', async () => {
  const { db, ingest, texts } = await bench();
  addSession(db, 'ses_a', [{ prompt: 'go', answer: 'half of' }]);
  const message = db.prepare("SELECT id FROM message WHERE json_extract(data, '$.role') = 'assistant'").pluck().get();
  db.prepare("UPDATE message SET data = json_remove(data, '$.time.completed') WHERE id = ?").run(message);
  db.prepare("UPDATE part SET data = json_remove(data, '$.time.end') WHERE message_id = ?").run(message);
  await ingest();
  expect(await texts('ses_a')).toEqual(['go']);
  const add = (id: string, role: string, at: number) =>
    insert(db, 'message', [
      {
        ...{ id, session_id: 'ses_a', time_created: at, time_updated: 1 },
        data: { role, time: { created: at } },
      },
    ]);
  // A prompt may also wait while the agent still answers.
  add('msg_zy', 'user', 9e12);
  await ingest();
  expect(await texts('ses_a')).toEqual(['go']);
  add('msg_zz', 'assistant', 9e12 + 1);
  await ingest();
  expect(await texts('ses_a')).toEqual(['go', 'half of']);
});

it('the agent writes while we read, and neither waits for the other', async () => {
  const { db, ingest, texts } = await bench();
  addSession(db, 'ses_a', [{ prompt: 'first', answer: 'one' }]);
  db.exec('BEGIN IMMEDIATE');
  addSession(db, 'ses_b', [{ prompt: 'second', answer: 'two' }]);
  expect(await ingest()).toMatchObject({ problems: [], entries: { added: 2 } });
  db.pragma('busy_timeout = 0');
  db.exec('COMMIT');
  await ingest();
  expect(await texts('ses_b')).toEqual(['second', 'two']);
});

it('a pull creates no file beside a database that no program has open', async () => {
  const { db, ingest, folder } = await bench();
  fillWithSample(db);
  db.close();
  await ingest();
  expect(fs.readdirSync(folder)).toEqual(['opencode.db']);
});

it('after an interrupted write, the next pull gives the same result as an uninterrupted one', async () => {
  const { db, ingest, rows, pulled, store } = await bench();
  addSession(
    db,
    'ses_a',
    Array.from({ length: 20 }, (_, i) => ({ prompt: `ask ${i}`, answer: `say ${i}` })),
  );
  await ingest();
  const whole = (await store.entries.transcript('opencode', 'ses_a')).map(({ text }) => text);
  const { size } = fs.statSync(pulled('ses_a'));
  for (let cut = 1; cut < size; cut += 97) {
    fs.truncateSync(pulled('ses_a'), Math.min(cut, fs.statSync(pulled('ses_a')).size));
    await ingest();
    expect((await store.entries.transcript('opencode', 'ses_a')).map(({ text }) => text)).toEqual(whole);
  }
  expect(rows().entries).toHaveLength(40);
});

const ours = ({ store, config, deps }: Awaited<ReturnType<typeof bench>>): Context =>
  ({ store, config, clock: deps.clock }) as unknown as Context;
const forgetItem = (context: Context, id: string) =>
  forget.run(context, { id, dryRun: false, yes: true, agent: undefined });

it('forgotten entries leave the pulled transcript and are not pulled again, and the session continues', async () => {
  const made = await bench();
  const { db, ingest, texts, pulled, store } = made;
  const turns = [
    { prompt: 'the launch code is kumquat', answer: 'noted' },
    { prompt: 'and the weather', answer: 'fine' },
  ];
  addSession(db, 'ses_a', turns);
  await ingest();
  const [entry] = await store.entries.transcript('opencode', 'ses_a');
  const { size } = fs.statSync(pulled('ses_a'));
  const { files, left } = await forgetItem(ours(made), entry?.id ?? '');
  expect(files).toContain(pulled('ses_a'));
  expect(left.join()).toContain('where OpenCode keeps its sessions');
  expect(held(pulled('ses_a'))).not.toContain('kumquat');
  expect(fs.statSync(pulled('ses_a')).size).toBe(size);
  addSession(db, 'ses_a', [...turns, { prompt: 'go on', answer: 'gladly' }]);
  await ingest();
  expect(await texts('ses_a')).toEqual(['noted', 'and the weather', 'fine', 'go on', 'gladly']);
  fs.rmSync(pulled('ses_a'));
  await ingest();
  expect(held(pulled('ses_a'))).not.toContain('kumquat');
  expect(held(pulled('ses_a'))).toContain('gladly');
  expect(await texts('ses_a')).not.toContain('the launch code is kumquat');
});

it('forgetting an entry takes the title that shares its words from the pulled transcript, also from its notes', async () => {
  const made = await bench();
  const { db, ingest, pulled, store } = made;
  addSession(db, 'ses_a', [{ prompt: 'the launch code is kumquat', answer: 'noted' }], { title: 'Kumquat as a code' });
  await ingest();
  expect(held(pulled('ses_a'))).toMatch(/"pulled":.*Kumquat as a code/);
  const [entry] = await store.entries.transcript('opencode', 'ses_a');
  await forgetItem(ours(made), entry?.id ?? '');
  expect(held(pulled('ses_a'))).not.toMatch(/kumquat/i);
});

it('a session that was forgotten as a whole is not pulled again', async () => {
  const made = await bench();
  const { db, ingest, pulled, store } = made;
  addSession(db, 'ses_a', [{ prompt: 'the launch code is kumquat', answer: 'noted' }]);
  addSession(db, 'ses_b', [{ prompt: 'and the weather', answer: 'fine' }]);
  await ingest();
  await forgetItem(ours(made), 'ses_a');
  expect(fs.existsSync(pulled('ses_a'))).toBe(false);
  addSession(db, 'ses_a', [
    { prompt: 'the launch code is kumquat', answer: 'noted' },
    { prompt: 'kumquat again', answer: 'noted' },
  ]);
  await ingest();
  expect(fs.existsSync(pulled('ses_a'))).toBe(false);
  expect((await store.sessions.list({})).map(({ id }) => id)).toEqual(['ses_b']);
});

it('secrets, private turns and ignored folders do not reach the pulled transcript', async () => {
  const made = await bench({ HOLDFAST_IGNORE: '/home/dev/secret' });
  const { db, ingest, pulled, texts } = made;
  const key = `sk-ant-${'api03-'}${'Ab1'.repeat(31)}-AA`;
  addSession(db, 'ses_a', [
    { prompt: `use ${key} for it`, answer: 'done' },
    { prompt: '<private>kumquat</private>', answer: 'kumquat it is' },
    { prompt: 'go on', answer: 'gladly' },
  ]);
  addSession(db, 'ses_b', [{ prompt: 'kumquat', answer: 'yes' }], { directory: '/home/dev/secret' });
  await ingest();
  expect(held(pulled('ses_a'))).not.toContain(key);
  expect(held(pulled('ses_a'))).not.toContain('kumquat');
  expect(fs.existsSync(pulled('ses_b'))).toBe(false);
  expect((await texts('ses_a')).slice(-3)).toEqual(['done', 'go on', 'gladly']);
});

it('ingest pulls from a named folder or file, and adds nothing that was pulled before', async () => {
  const { db, ingest, folder, config, store } = await bench();
  fillWithSample(db);
  db.close();
  const backup = path.join(config.home, '../backup/opencode');
  fs.cpSync(folder, backup, { recursive: true });
  fs.rmSync(folder, { recursive: true });
  expect(await ingest({ dir: path.dirname(backup) })).toMatchObject({ entries: { added: 21 }, problems: [] });
  expect(await ingest({ file: path.join(backup, 'opencode.db') })).toMatchObject({
    entries: { added: 0 },
    problems: [],
  });
  expect(await store.entries.counts()).toMatchObject({ sessions: 3, entries: 21 });
});

it.each([
  ['backup', 'opencode'],
  ['backup/opencode', 'opencode'],
  ['backup/kilo', 'kilo'],
])('files of OpenCode 1.1 below %s are taken for %s alone', async (below, agent) => {
  const { ingest, config, store } = await workbench();
  const folder = path.join(config.home, '..', below);
  const sample = path.join(import.meta.dirname, '../../agents/opencode/fixtures/1.1.65');
  fs.cpSync(sample, path.join(folder, 'storage'), { recursive: true });
  const report = await ingest({ dir: folder });
  expect(report.problems).toEqual([]);
  const agents = new Set((await store.sessions.list({ limit: 100 })).map((one) => one.agent));
  expect([...agents]).toEqual([agent]);
});

it('a damaged database is reported by name, and the others are read', async () => {
  const { ingest, folder, config } = await bench();
  fs.writeFileSync(path.join(folder, 'opencode-dev.db'), Buffer.alloc(4096, 'x'));
  const report = await ingest();
  expect(report.problems).toMatchObject([{ file: path.join(folder, 'opencode-dev.db') }]);
  expect(loadConfig(config.environment).home).toBe(config.home);
});

it('the worker pulls what an agent writes while it runs', async () => {
  const { db, work, texts } = await bench();
  const ended = new AbortController();
  const running = work(ended.signal);
  try {
    addSession(db, 'ses_a', [{ prompt: 'first', answer: 'one' }]);
    await expect.poll(() => texts('ses_a'), { timeout: 20_000 }).toEqual(['first', 'one']);
    addSession(db, 'ses_a', [
      { prompt: 'first', answer: 'one' },
      { prompt: 'second', answer: 'two' },
    ]);
    await expect.poll(() => texts('ses_a'), { timeout: 20_000 }).toEqual(['first', 'one', 'second', 'two']);
  } finally {
    ended.abort();
    await running;
  }
});
