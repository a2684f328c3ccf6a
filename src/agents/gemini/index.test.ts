import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { workbench } from '../../../test/contracts/transcript-builder.ts';

type Json = Record<string, unknown>;

const at = (second: number) => new Date(Date.parse('2026-09-01T10:00:00.000Z') + second * 1000).toISOString();
const header = (sessionId: string, more: Json = {}): Json => ({
  sessionId,
  projectHash: 'x',
  startTime: at(0),
  ...more,
});
const message = (second: number, type: string, id: string, content: unknown, more: Json = {}): Json => ({
  ...{ id, timestamp: at(second), type, content },
  ...more,
});

async function memory() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-gemini-'));
  onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
  const bench = await workbench({ GEMINI_CLI_HOME: home });
  const put = (key: string, lines: readonly Json[]) => {
    const file = path.join(home, '.gemini/tmp/proj/chats', key);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  };
  const texts = async (session: string) =>
    (await bench.store.entries.transcript('gemini', session)).map(({ text, abandoned }) =>
      abandoned ? `(${text})` : text,
    );
  return { ...bench, put, texts, chats: path.join(home, '.gemini/tmp/proj/chats') };
}

it('a rewound message is abandoned, with everything after it', async () => {
  const bench = await memory();
  bench.put('session-a.jsonl', [
    header('s1'),
    message(1, 'user', 'u1', 'one'),
    message(2, 'gemini', 'g1', 'first'),
    message(3, 'user', 'u2', 'wrong'),
    message(4, 'gemini', 'g2', 'way'),
    { $rewindTo: 'u2' },
    message(5, 'user', 'u3', 'right'),
    message(6, 'gemini', 'g3', 'way'),
  ]);
  await bench.ingest();
  expect(await bench.texts('s1')).toEqual(['one', 'first', '(wrong)', '(way)', 'right', 'way']);
});

it('everything before is abandoned after a rewind to the first message', async () => {
  const bench = await memory();
  bench.put('session-a.jsonl', [
    header('s1'),
    message(1, 'user', 'u1', 'wrong'),
    message(2, 'gemini', 'g1', 'way'),
    { $rewindTo: 'u1' },
    message(3, 'user', 'u2', 'right'),
    message(4, 'gemini', 'g2', 'way'),
  ]);
  await bench.ingest();
  expect(await bench.texts('s1')).toEqual(['(wrong)', '(way)', 'right', 'way']);
});

it('a rewind to an unknown message abandons nothing', async () => {
  const bench = await memory();
  bench.put('session-a.jsonl', [
    header('s1'),
    message(1, 'user', 'u1', 'one'),
    { $rewindTo: 'u9' },
    message(2, 'user', 'u2', 'two'),
  ]);
  await bench.ingest();
  expect(await bench.texts('s1')).toEqual(['one', 'two']);
});

it('finds a call in a later copy of its message, and does not double what a checkpoint repeats', async () => {
  const bench = await memory();
  const call = (id: string, text: string, status = 'success') => ({
    ...{ id, name: 'run_shell_command', args: { command: 'x' }, status },
    result: [{ functionResponse: { id, response: { output: text } } }],
  });
  const first = message(2, 'gemini', 'g1', 'I look.');
  const second = { ...first, toolCalls: [call('a', 'Output: yes')] };
  const third = {
    ...first,
    toolCalls: [call('a', 'Output: yes'), call('b', 'Output: no\nExit Code: 3\nProcess Group PGID: 1')],
  };
  bench.put('session-a.jsonl', [
    header('s1'),
    message(1, 'user', 'u1', [{ text: '<hook_context>briefing</hook_context>\n\nlook' }]),
    ...[first, second, third],
    message(3, 'user', 'g1x', [{ functionResponse: { id: 'a', response: { output: 'yes' } } }]),
    { $set: { messages: [message(9, 'user', 'u1', [{ text: 'look' }]), message(9, 'gemini', 'g1', 'I look.')] } },
  ]);
  await bench.ingest();
  expect(await bench.texts('s1')).toEqual(['look', 'I look.', '', '']);
  const entries = await bench.store.entries.transcript('gemini', 's1');
  const uses = await bench.store.entries.toolUses(entries.map(({ id }) => id));
  expect(uses.map(({ id, outcome }) => [id, outcome]).sort()).toEqual([
    ['a', 'ok'],
    ['b', 'error'],
  ]);
});

it('the JSON of older versions is pulled once, even if it is rewritten with more, and stays when it is deleted', async () => {
  const bench = await memory();
  const whole = (messages: readonly Json[]) => ({ ...header('s1'), lastUpdated: at(9), messages });
  const first = [message(1, 'user', 'u1', 'one'), message(2, 'gemini', 'g1', 'I look.')];
  const call = {
    id: 'a',
    name: 'run_shell_command',
    args: { command: 'x' },
    status: 'success',
    resultDisplay: 'no\nExit Code: 1',
  };
  bench.put('session-2026-09-01T10-00-s1.json', [whole(first)]);
  await bench.ingest();
  bench.put('session-2026-09-01T10-00-s1.json', [
    whole([first[0] as Json, { ...first[1], toolCalls: [call] }, message(3, 'user', 'u2', 'two')]),
  ]);
  await bench.ingest();
  fs.rmSync(path.join(bench.chats, 'session-2026-09-01T10-00-s1.json'));
  await bench.ingest();
  expect(await bench.texts('s1')).toEqual(['one', 'I look.', '', 'two']);
  const uses = await bench.store.entries.toolUses(
    (await bench.store.entries.transcript('gemini', 's1')).map(({ id }) => id),
  );
  expect(uses.map(({ outcome }) => outcome)).toEqual(['error']);
});

it('0.39: the file beside the chats names the folder, also for subagents; a folder that the lines name counts instead', async () => {
  const bench = await memory();
  fs.mkdirSync(bench.chats, { recursive: true });
  fs.writeFileSync(path.join(bench.chats, '../.project_root'), '/home/dev/proj\n');
  bench.put('session-a.jsonl', [header('s1'), message(1, 'user', 'u1', 'one')]);
  bench.put('s1/sub.jsonl', [header('sub', { kind: 'subagent' }), message(2, 'user', 'u2', 'work')]);
  bench.put('session-b.jsonl', [header('s2', { directories: ['/home/dev/other'] }), message(3, 'user', 'u3', 'two')]);
  await bench.ingest();
  const folders = await Promise.all(
    ['s1', 'sub', 's2'].map(async (id) => (await bench.store.sessions.find(id))[0]?.cwd),
  );
  expect(folders).toEqual(['/home/dev/proj', '/home/dev/proj', '/home/dev/other']);
});

it('0.20: a folder that is only named by its hash is found in the paths of calls', async () => {
  const bench = await memory();
  const projectHash = createHash('sha256').update('/home/dev/proj').digest('hex');
  const call = { id: 'c', name: 'read_file', args: { absolute_path: '/home/dev/proj/src/a.ts' }, status: 'success' };
  const messages = [message(1, 'user', 'u1', 'look'), message(2, 'gemini', 'g1', '', { toolCalls: [call] })];
  bench.put('session-a.json', [{ ...header('s1', { projectHash }), lastUpdated: at(9), messages }]);
  // Only the session beside it shows the folder of this one.
  const other = { ...header('s2', { projectHash }), lastUpdated: at(9), messages: [message(3, 'user', 'u2', 'say')] };
  bench.put('session-b.json', [other]);
  await bench.ingest();
  const folders = await Promise.all(['s1', 's2'].map(async (id) => (await bench.store.sessions.find(id))[0]?.cwd));
  expect(folders).toEqual(['/home/dev/proj', '/home/dev/proj']);
});

it('0.35 and 0.38: a subagent in JSON belongs to the session that started it, and its orders are the machine\u2019s', async () => {
  const bench = await memory();
  const whole = (id: string, messages: readonly Json[], more: Json = {}) => [
    { ...header(id, more), lastUpdated: at(9), messages },
  ];
  bench.put('session-2026-09-01T10-00-s1.json', whole('s1', [message(1, 'user', 'u1', 'ask a helper')]));
  // With the id of the session that started it.
  const own = [message(2, 'user', 'u2', 'Your task is to look.'), message(3, 'gemini', 'g2', 'I looked.')];
  bench.put('session-2026-09-01T10-01-s1.json', whole('s1', own, { kind: 'subagent' }));
  const next = [message(4, 'user', 'u3', 'Read the notes.'), message(5, 'gemini', 'g3', 'I read.')];
  bench.put('s1/helper.json', whole('helper', next, { kind: 'subagent' }));
  await bench.ingest();
  const authors = async (session: string) =>
    (await bench.store.entries.transcript('gemini', session)).map(({ author, text }) => `${author}: ${text}`);
  const first = 'session-2026-09-01T10-01-s1';
  expect(await authors('s1')).toEqual(['person: ask a helper']);
  expect(await authors(first)).toEqual(['machine: Your task is to look.', 'model: I looked.']);
  expect(await authors('helper')).toEqual(['machine: Read the notes.', 'model: I read.']);
  for (const id of [first, 'helper'])
    expect((await bench.store.sessions.find(id))[0]).toMatchObject({ parent: 's1', subagent: 'subagent' });
});

it('what a subagent does for a private prompt is not stored either', async () => {
  const bench = await memory();
  bench.put('session-a.jsonl', [
    header('s1'),
    message(1, 'user', 'u1', '<private>the plan</private>'),
    message(2, 'gemini', 'g1', 'secret'),
    message(50, 'user', 'u2', 'open'),
  ]);
  bench.put('s1/sub.jsonl', [
    header('sub', { kind: 'subagent' }),
    message(3, 'user', 'u3', 'work'),
    message(4, 'gemini', 'g3', 'done'),
  ]);
  await bench.ingest();
  expect([await bench.texts('s1'), await bench.texts('sub')]).toEqual([['open'], []]);
});
