// A database written from descriptions of Goose's schema 9 (untried with the program itself).
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { pulledAgent } from '../../../test/pulled-agent.ts';
import { goose } from './index.ts';

const schema = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', user_set_name BOOLEAN DEFAULT FALSE,
    session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP, provider_name TEXT, model_config_json TEXT);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL, content_json TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT);
  CREATE INDEX idx_messages_session ON messages(session_id);`;

const text = (said: string) => [{ type: 'text', text: said }];
const request = (id: string, command: string) => ({
  type: 'toolRequest',
  id,
  toolCall: { status: 'success', value: { name: 'developer__shell', arguments: { command } } },
});
const response = (id: string, said: string, isError = false) => ({
  type: 'toolResponse',
  id,
  toolResult: { status: 'success', value: { content: text(said), isError } },
});

async function withGoose() {
  const made = await pulledAgent(goose);
  const db = new Database(path.join(made.root, 'sessions.db'));
  db.pragma('journal_mode = WAL');
  db.exec(schema);
  const session = (id: string, type = 'user') =>
    db
      .prepare(
        "INSERT INTO sessions (id, name, working_dir, session_type) VALUES (?, 'Reading the notes', '/home/dev/proj', ?)",
      )
      .run(id, type);
  let at = 1_760_000_000;
  const say = (id: string, role: string, content: unknown, metadata: unknown = {}, when = at++) =>
    db
      .prepare(
        'INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, ?, ?, ?, ?)',
      )
      .run(id, role, JSON.stringify(content), when, JSON.stringify(metadata));
  return { ...made, db, addSession: session, say };
}

it('gives prompts, answers and tool uses with their outcomes', async () => {
  const { addSession, say, ingest, said, outcomes, session, times } = await withGoose();
  addSession('20251009_1');
  say('20251009_1', 'user', text('Which port?'));
  say('20251009_1', 'assistant', [
    ...text('I will look.'),
    request('t1', 'cat notes.txt'),
    request('t2', 'cat missing.txt'),
  ]);
  say('20251009_1', 'user', [response('t1', 'The port is 4711.'), response('t2', 'no such file', true)]);
  say('20251009_1', 'assistant', text('It is 4711.'));
  expect(await ingest()).toMatchObject({ files: { imported: 1, failed: 0 }, problems: [] });
  expect(await said('20251009_1')).toEqual([
    'user person: Which port?',
    'assistant model: I will look.',
    'assistant model: It is 4711.',
  ]);
  expect(await outcomes('20251009_1')).toEqual(['developer__shell ok', 'developer__shell error']);
  expect(await session('20251009_1')).toMatchObject({ cwd: '/home/dev/proj', title: 'Reading the notes' });
  expect((await times('20251009_1'))[0]).toContain('2025-10-09');
});

it('keeps what a compaction replaces, and takes what it repeats once', async () => {
  const { addSession, say, ingest, said, db } = await withGoose();
  addSession('20251009_1');
  say('20251009_1', 'user', text('Which port?'), {}, 1_760_000_000);
  say('20251009_1', 'assistant', text('It is 4711.'), {}, 1_760_000_001);
  await ingest();
  db.exec("DELETE FROM messages WHERE session_id = '20251009_1'");
  say(
    '20251009_1',
    'assistant',
    text('They spoke of a port.'),
    { userVisible: false, agentVisible: true },
    1_760_000_002,
  );
  say('20251009_1', 'assistant', text('It is 4711.'), {}, 1_760_000_001);
  say('20251009_1', 'user', text('Go on'), {}, 1_760_000_003);
  expect(await ingest()).toMatchObject({ entries: { added: 2 } });
  expect(await said('20251009_1')).toEqual([
    'user person: Which port?',
    'assistant model: It is 4711.',
    'assistant machine: They spoke of a port.',
    'user person: Go on',
  ]);
});

it('leaves out hidden sessions, and the orders of subagents are not prompts', async () => {
  const { addSession, say, ingest, said } = await withGoose();
  addSession('h', 'hidden');
  say('h', 'user', text('a title please'));
  addSession('s', 'sub_agent');
  say('s', 'user', text('count the files'));
  await ingest();
  expect(await said('h')).toEqual([]);
  expect(await said('s')).toEqual(['user machine: count the files']);
});

it('before 1.10: a session in a file of lines is pulled, unless the database has it', async () => {
  const { addSession, say, ingest, said, outcomes, session, times, put } = await withGoose();
  const message = (role: string, created: number, content: unknown, more: object = {}) =>
    JSON.stringify({ role, created, content, ...more });
  const facts = JSON.stringify({ working_dir: '/home/dev/proj', description: 'Reading the notes', message_count: 4 });
  const [asks, calls] = [text('Which port?'), [...text('I will look.'), request('t1', 'cat missing.txt')]];
  const lines = [
    facts,
    message('user', 1_750_000_000, [...text('<info-msg>\nIt is noon.\n</info-msg>'), ...asks], { id: 'msg_1' }),
    message('assistant', 1_750_000_001, calls),
    message('user', 1_750_000_002, [
      { type: 'toolResponse', id: 't1', toolResult: { status: 'error', error: 'no such file' } },
    ]),
  ];
  put('20250615_150640.jsonl', `${lines.join('\n')}\n{"role":"assis`);
  put('20250615_170000.jsonl', `${lines.join('\n')}\n`);
  addSession('20250615_170000');
  say('20250615_170000', 'user', text('Which port, then?'));
  expect(await ingest()).toMatchObject({ files: { imported: 2, failed: 0 }, problems: [] });
  const id = '20250615_150640';
  expect(await said(id)).toEqual(['user person: Which port?', 'assistant model: I will look.']);
  expect(await outcomes(id)).toEqual(['developer__shell error']);
  expect(await session(id)).toMatchObject({ cwd: '/home/dev/proj', title: 'Reading the notes' });
  expect((await times(id))[0]).toContain('2025-06-15');
  expect(await said('20250615_170000')).toEqual(['user person: Which port, then?']);
  put('20250615_150640.jsonl', `${[...lines, message('assistant', 1_750_000_003, text('It is 4711.'))].join('\n')}\n`);
  expect(await ingest()).toMatchObject({ entries: { added: 1 } });
  expect((await said(id)).at(-1)).toBe('assistant model: It is 4711.');
});
