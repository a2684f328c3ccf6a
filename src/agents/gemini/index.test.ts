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
