// Forms of lines that versions write which we have no sample of, from published descriptions of them.
import { describe, expect, it } from 'vitest';
import type { Agent, AgentState, ParsedItem } from './agent.ts';
import { antigravity } from './antigravity/index.ts';
import { codex } from './codex/index.ts';
import { cursor } from './cursor/index.ts';
import { droid } from './droid/index.ts';
import { gemini } from './gemini/index.ts';
import { goose } from './goose/index.ts';
import { qwen } from './qwen/index.ts';

function reader(agent: Agent, key = 'a.jsonl') {
  const state: AgentState = {};
  return (...values: unknown[]) => values.map((value) => agent.read(value, { key, state }));
}

const itemsOf = (read: readonly { readonly items: readonly ParsedItem[] }[]) => read.flatMap(({ items }) => items);
const said = (read: readonly { readonly items: readonly ParsedItem[] }[]) =>
  itemsOf(read).flatMap((item) => (item.kind === 'entry' ? [`${item.author}: ${item.text}`] : []));
const results = (read: readonly { readonly items: readonly ParsedItem[] }[]) =>
  itemsOf(read).flatMap((item) => (item.kind === 'tool-result' ? [{ failed: item.failed, output: item.output }] : []));
const timestamp = '2026-10-01T09:00:00.000Z';

describe('Codex', () => {
  const output = (text: unknown) =>
    results(
      reader(codex)({
        timestamp,
        type: 'response_item',
        payload: { type: 'function_call_output', call_id: 'c', output: text },
      }),
    );
  const head = (code: number) =>
    `Chunk ID: 2d6ed4\nWall time: 0.1 seconds\nProcess exited with code ${code}\nOriginal token count: 5\nOutput:\n`;

  it('0.115: the output of a command begins with the command, which may have several lines', () => {
    const command = 'Command: /bin/zsh -lc "cat <<EOF\nOutput:\nEOF"\n';
    expect(output(`${command}${head(1)}no such file`)).toEqual([{ failed: true, output: 'no such file' }]);
    expect(output(`${command}${head(0)}error: none`)).toEqual([{ failed: false, output: 'error: none' }]);
    expect(output(`Command: ${'x'.repeat(100_000)}`)).toHaveLength(1);
  });

  it('0.145 on the desktop: a script says whether it failed, or prints the exit code', () => {
    const parts = (...texts: string[]) => texts.map((text) => ({ type: 'input_text', text }));
    expect(output(parts('Script failed\nWall time 0.0 seconds\nOutput:\n', 'npm ERR!'))).toMatchObject([
      { failed: true },
    ]);
    expect(output(parts('Script completed\nWall time 0.1 seconds\nOutput:\n', 'error: 0 found'))).toMatchObject([
      { failed: false },
    ]);
    expect(output(parts('Script completed\nWall time 3 seconds\nOutput:\n', '{"exit_code":65}'))).toMatchObject([
      { failed: true },
    ]);
  });

  it('0.34: bare lines whose header has no instructions', () => {
    expect(
      codex.recognises([{ id: 't', timestamp, cwd: '/p', originator: 'codex_cli_rs', cli_version: '0.34.0' }]),
    ).toBe(true);
  });
});

describe('Droid', () => {
  const message = (role: string, content: unknown) => ({ type: 'message', timestamp, message: { role, content } });

  it('messages without ids, and contents that are plain texts', () => {
    const lines = [
      { type: 'session_start', id: 's', title: 'First words', sessionTitle: 'A name', cwd: '/w' },
      message('user', 'Fix the login'),
      message('assistant', 'I will.'),
      message('user', ['Plain', { type: 'text', text: 'and a block' }]),
    ];
    const read = reader(droid)(...lines);
    expect(said(read)).toEqual(['person: Fix the login', 'model: I will.', 'person: Plain\nand a block']);
    expect(new Set(itemsOf(read).flatMap((item) => (item.kind === 'entry' ? [item.uuid] : []))).size).toBe(3);
    expect(reader(droid)(...lines)).toEqual(read);
    expect(itemsOf(read)).toContainEqual({ kind: 'title', title: 'A name', by: 'agent' });
  });

  it('a compaction is a summary by the machine', () => {
    const [line] = itemsOf(reader(droid)({ type: 'compaction_state', id: 'c', timestamp, summaryText: 'In short' }));
    expect(line).toMatchObject({ author: 'machine', form: 'compaction', text: 'In short' });
  });
});

describe('Qwen Code', () => {
  const user = (text: string, more: object) => ({
    ...{ uuid: 'u', parentUuid: null, sessionId: 's', timestamp, type: 'user', cwd: '/p' },
    ...{ message: { role: 'user', parts: [{ text }] } },
    ...more,
  });

  it('the prompt is what was typed, not the files that it names', () => {
    const payload = { displayText: 'explain @a.ts', hookContext: '' };
    const line = user('explain @a.ts\n--- a.ts ---\nconst a = 1', { provenance: 'real_user', systemPayload: payload });
    expect(said(reader(qwen)(line))).toEqual(['person: explain @a.ts']);
  });

  it('a prompt typed in the middle of a turn is the person\u2019s, and does not end the turn', () => {
    const [entry] = itemsOf(reader(qwen)(user('wait', { subtype: 'mid_turn_user_message' })));
    expect(entry).toMatchObject({ author: 'person', queued: 'given' });
    expect(said(reader(qwen)(user('go on', { subtype: 'goal_runtime', provenance: 'goal_runtime' })))).toEqual([
      'machine: go on',
    ]);
  });

  it('archived sessions are read, ledgers of prompts are not, and a fork names its origin', () => {
    expect(qwen.isTranscript('p/chats/archive/a.jsonl')).toBe(true);
    expect(qwen.isTranscript('p/chats/a.jsonl')).toBe(true);
    expect(qwen.isTranscript('p/chats/a.ledger.jsonl')).toBe(false);
    const line = user('hi', { forkedFrom: { sessionId: 'origin', messageUuid: 'm' } });
    expect(itemsOf(reader(qwen)(line))).toMatchObject([{ forkOf: 'origin' }]);
  });
});

describe('Gemini CLI', () => {
  const read = (...values: unknown[]) => reader(gemini, 'p/chats/session-2026-10-01T09-00-a1b2c3d4.jsonl')(...values);
  const call = (status: string) => ({
    ...{ id: 'm', timestamp, type: 'gemini', content: '' },
    toolCalls: [{ id: 'c', name: 'list_directory', args: {}, status, resultDisplay: 'a' }],
  });

  it('a call that waits for approval has not ended', () => {
    expect(results(read(call('awaiting_approval'), call('validating')))).toEqual([]);
    expect(results(read(call('cancelled')))).toMatchObject([{ failed: true }]);
  });

  it('patches are known, and other changes are counted', () => {
    const patch = { $patch: { id: 'm', toolCalls: [{ id: 'c', result: null }] } };
    expect(read(patch, { $swap: {} }).map(({ unknown }) => unknown)).toEqual([undefined, '$swap']);
  });

  it('a header without a hash of the folder', () => {
    expect(gemini.recognises([{ sessionId: 's', startTime: timestamp, kind: 'main' }])).toBe(true);
  });
});

it('Goose: the exit code of a structured result decides', () => {
  const value = { content: [{ type: 'text', text: 'x' }], isError: false, structuredContent: { exit_code: 2 } };
  const content = [{ type: 'toolResponse', id: 'c', toolResult: { status: 'success', value } }];
  const line = { type: 'message', id: 'm', timestamp, message: { role: 'user', content } };
  expect(results(reader(goose)(line))).toEqual([{ failed: true, output: 'x' }]);
});

it('Cursor: thoughts that were made unreadable are left out', () => {
  const line = (text: string) => ({
    ...{ type: 'message', id: 'm', timestamp },
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  });
  expect(said(reader(cursor)(line('Done.\n\n[REDACTED]'), line('[REDACTED]')))).toEqual(['model: Done.']);
});

it('Antigravity: the names of tools may have the prefix of their interface', () => {
  const call = { name: 'default_api:write_to_file', args: { TargetFile: '/p/a.ts' } };
  const step = { step_index: 1, source: 'MODEL', type: 'PLANNER_RESPONSE', status: 'DONE', created_at: 1790942400 };
  expect(itemsOf(reader(antigravity)({ ...step, tool_calls: [call] }))).toMatchObject([
    { toolUses: [{ tool: 'write_to_file', files: ['/p/a.ts'] }] },
  ]);
});
