// OpenCode before 1.2: one file per session, message and part, and any of them may come late or grow.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { workbench } from '../../../test/contracts/transcript-builder.ts';
import { addSession, openCodeDatabase } from '../../../test/opencode-database.ts';
import { pullAll } from '../../capture/pull/pull.ts';
import { openCode } from './index.ts';

const session = 'ses_a';
const start = Date.parse('2026-03-02T09:00:00Z');

async function bench() {
  const made = await workbench();
  const storage = path.join(made.config.watchPath(openCode), 'storage');
  const put = (name: string, value: unknown) => {
    const file = path.join(storage, `${name}.json`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify(value));
  };
  const texts = async () => (await made.store.entries.transcript('opencode', session)).map(({ text }) => text);
  const pulled = () => fs.readFileSync(path.join(made.config.home, 'pulled/opencode', `${session}.jsonl`), 'utf8');
  put(`session/global/${session}`, { id: session, directory: '/home/dev/proj', title: 'A', time: { created: start } });
  const message = (n: number, role: string, done = true) =>
    put(`message/${session}/msg_${n}`, {
      ...{ id: `msg_${n}`, sessionID: session, role },
      time: { created: start + n * 1000, ...(role === 'assistant' && done ? { completed: start + n * 1000 + 9 } : {}) },
    });
  const part = (n: number, text: string, name = 'a', done = true) =>
    put(`part/msg_${n}/prt_${n}${name}`, {
      ...{ id: `prt_${n}${name}`, messageID: `msg_${n}`, sessionID: session, type: 'text', text },
      time: { start: start + n * 1000, ...(done ? { end: start + n * 1000 + 5 } : {}) },
    });
  const say = (n: number, role: string, text: string) => {
    message(n, role);
    part(n, text);
  };
  const pull = () => pullAll(made.deps);
  return { ...made, put, message, part, say, texts, pulled, pull };
}

it('messages and parts that come after the session was read are pulled, each once', async () => {
  const { ingest, message, part, say, texts } = await bench();
  await ingest();
  say(3, 'user', 'second prompt');
  say(4, 'assistant', 'second answer');
  await ingest();
  expect(await texts()).toEqual(['second prompt', 'second answer']);
  say(1, 'user', 'first prompt');
  await ingest();
  message(2, 'assistant');
  await ingest();
  part(2, 'first answer');
  await ingest();
  part(4, 'and more', 'b');
  await ingest();
  const all = ['first prompt', 'first answer', 'second prompt', 'second answer', 'and more'];
  expect((await texts()).sort()).toEqual(all.sort());
  expect(await ingest()).toMatchObject({ entries: { added: 0 } });
});

it('a message that is touched without a change adds nothing', async () => {
  const { ingest, say, pulled } = await bench();
  say(1, 'user', 'first prompt');
  say(2, 'assistant', 'first answer');
  await ingest();
  const lines = () =>
    pulled()
      .split('\n')
      .filter((line) => line.includes('"part"'));
  const before = lines();
  say(1, 'user', 'first prompt');
  expect(await ingest()).toMatchObject({ entries: { added: 0 } });
  expect(lines()).toEqual(before);
});

it('a late part of a private turn stays private, and one of the next turn is kept', async () => {
  const { ingest, say, part, texts, pulled } = await bench();
  say(1, 'user', '<private>kumquat</private>');
  say(2, 'assistant', 'kumquat it is');
  say(3, 'user', 'next');
  say(4, 'assistant', 'answer');
  await ingest();
  part(2, 'kumquat again', 'b');
  part(4, 'more of the answer', 'b');
  await ingest();
  expect(pulled()).not.toContain('kumquat');
  expect(await texts()).toEqual(['next', 'answer', 'more of the answer']);
});

it.each([
  ['after its answer was stored', true],
  ['after its answer was pulled, but before that was stored', false],
])('a private prompt that arrives %s hides the answer, and nothing else', async (_, isStored) => {
  const { ingest, say, message, part, texts, pulled, pull } = await bench();
  const take = isStored ? ingest : pull;
  say(3, 'user', 'next');
  say(4, 'assistant', 'answer');
  message(2, 'assistant');
  part(2, 'kumquat it is');
  await take();
  expect(pulled()).toContain('kumquat');
  message(1, 'user');
  await take();
  part(1, '<private>kumquat</private>');
  await ingest();
  expect(pulled()).not.toContain('kumquat');
  expect(await texts()).toEqual(['next', 'answer']);
  // It does not come back.
  part(4, 'more of the answer', 'b');
  await ingest();
  expect(pulled()).not.toContain('kumquat');
  expect(await texts()).toEqual(['next', 'answer', 'more of the answer']);
});

it('an answer that streams while the next prompt waits is pulled once, whole', async () => {
  const { ingest, message, part, say, texts } = await bench();
  say(1, 'user', 'go');
  message(2, 'assistant', false);
  part(2, 'half', 'a', false);
  say(3, 'user', 'and then this');
  await ingest();
  expect(await texts()).toEqual(['go', 'and then this']);
  part(2, 'half of it', 'a', false);
  await ingest();
  expect(await texts()).toEqual(['go', 'and then this']);
  message(2, 'assistant');
  part(2, 'all of it');
  say(4, 'assistant', 'done too');
  await ingest();
  expect((await texts()).sort()).toEqual(['all of it', 'and then this', 'done too', 'go']);
});

it('the name of a session that has none yet is no title: its first prompt is', async () => {
  const { ingest, put, say, store } = await bench();
  const title = 'New session - 2026-11-18T21:56:14.527Z';
  put(`session/global/${session}`, { id: session, directory: '/home/dev/proj', title, time: { created: start } });
  say(1, 'user', 'first prompt');
  await ingest();
  expect((await store.sessions.find(session))[0]?.title).toBe('first prompt');
});

it('0.5: a session that 0.6 copied to another place is pulled from there alone', async () => {
  const { ingest, say, texts, config } = await bench();
  const old = path.join(config.watchPath(openCode), 'project/home-dev-proj/storage/session');
  const leave = (name: string, value: unknown) => {
    const file = path.join(old, `${name}.json`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify(value));
  };
  const time = { created: start + 1000 };
  leave(`info/${session}`, { id: session, title: 'A', time: { created: start } });
  leave(`message/${session}/msg_1`, { id: 'msg_1', sessionID: session, role: 'user', time });
  leave(`part/${session}/msg_1/prt_1a`, { id: 'prt_1a', messageID: 'msg_1', type: 'text', text: 'as it was' });
  say(1, 'user', 'as it was copied');
  await ingest();
  expect(await texts()).toEqual(['as it was copied']);
});

it('a session that the database has taken over is no longer pulled from its old files', async () => {
  const { ingest, message, part, texts, pulled, config } = await bench();
  const db = openCodeDatabase(path.join(config.watchPath(openCode), 'opencode.db'));
  addSession(db, session, [
    { prompt: 'in both', answer: 'yes' },
    { prompt: 'only in the database', answer: 'yes' },
  ]);
  db.close();
  message(1, 'user');
  part(1, 'only in the files');
  message(2, 'assistant');
  part(2, 'an answer');
  await ingest();
  const all = await texts();
  expect(all).toContain('only in the database');
  expect(all).not.toContain('only in the files');
  const before = pulled();
  expect(await ingest()).toMatchObject({ files: { imported: 0 } });
  expect(pulled()).toBe(before);
});
