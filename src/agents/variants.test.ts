// Forms of lines that versions write which we have no sample of, from published descriptions of them.
import { describe, expect, it } from 'vitest';
import type { Agent, AgentState, ParsedItem } from './agent.ts';
import { antigravity } from './antigravity/index.ts';
import { codex } from './codex/index.ts';
import { copilot } from './copilot/index.ts';
import { cursor } from './cursor/index.ts';
import { droid } from './droid/index.ts';
import { gemini } from './gemini/index.ts';
import { goose } from './goose/index.ts';
import { openCode } from './opencode/index.ts';
import { pi } from './pi/index.ts';
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

  it('0.130 and 0.169: a patch in a command has its verdict after the head of the command', () => {
    const wall = 'Wall time: 0.0000 seconds\nOutput:\n';
    const json = (code: number) => `{"output":"said","metadata":{"exit_code":${code},"duration_seconds":0.0}}`;
    const plain = (code: number) => `Exit code: ${code}\nWall time: 0 seconds\nOutput:\nsaid`;
    for (const of of [json, plain]) {
      expect(output(wall + of(0))).toEqual([{ failed: false, output: 'said' }]);
      expect(output(wall + of(1))).toEqual([{ failed: true, output: 'said' }]);
    }
    expect(output(`${wall}apply_patch verification failed: no such file`)).toMatchObject([{ failed: true }]);
    expect(output('Wall time: 9 seconds\nProcess running with session ID 4\nOutput:\nerror: 0')).toMatchObject([
      { failed: false },
    ]);
  });

  it('0.130: a subagent that could not be started is a failure', () =>
    expect(output("unknown agent_type 'task'")).toMatchObject([{ failed: true }]));

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
    const [old] = itemsOf(reader(droid)({ type: 'compaction_state', timestamp, summaryText: 'In short' }));
    expect(old).toMatchObject({ author: 'machine', form: 'compaction', text: 'In short' });
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

  it('a compression is a summary by the machine', () => {
    const history = [
      { role: 'user', parts: [{ text: 'My setup: macOS' }] },
      { role: 'user', parts: [{ text: '<state_snapshot>\n    <key_knowledge>…</key_knowledge>\n</state_snapshot>' }] },
      { role: 'model', parts: [{ text: 'Got it.' }] },
    ];
    const line = { uuid: 'u', sessionId: 's', timestamp, type: 'system', subtype: 'chat_compression' };
    const read = (compressedHistory: unknown) =>
      itemsOf(reader(qwen)({ ...line, systemPayload: { info: {}, compressedHistory } }));
    expect(read(history)).toMatchObject([{ author: 'machine', form: 'compaction', text: history[1]?.parts[0]?.text }]);
    for (const none of [null, [], 'x', [{ parts: [{ text: 'no summary' }] }]]) expect(read(none)).toEqual([]);
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

describe('Pi', () => {
  const message = (role: string, content: unknown, more: object = {}) => ({
    ...{ type: 'message', id: 'a1', parentId: null, timestamp },
    message: { role, content, ...more },
  });

  it('a prompt is what was typed, not the text of the skill or of the files that it names', () => {
    const skill = '<skill name="tides" location="/s/SKILL.md">\nReferences are relative to /s.\n\nAll of it.\n</skill>';
    const file = '<file name="/p/a.ts">\nconst a = 1\n</file>\n';
    const typed = (text: string) => said(reader(pi)(message('user', [{ type: 'text', text }])));
    expect(typed(`${skill}\n\nfor Brest`)).toEqual(['person: /skill:tides for Brest']);
    expect(typed(skill)).toEqual(['person: /skill:tides']);
    expect(typed(`${file}${file}explain`)).toEqual(['person: explain']);
    expect(typed(file)).toEqual([]);
  });

  it('1.5: usage, edits of the context and the system message are known', () => {
    const kinds = reader(pi)({ type: 'usage', id: 'b' }, { type: 'context_edit', id: 'c' }, message('system', 'x'));
    expect(kinds.map(({ unknown }) => unknown)).toEqual([undefined, undefined, undefined]);
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

describe('Antigravity', () => {
  const step = (source: string, type: string, content: string, more: object = {}) => ({
    ...{ step_index: 0, source, type, status: 'DONE', created_at: '2026-06-25T20:02:50Z', content },
    ...more,
  });
  const stamps = 'Created At: 2026-06-25T20:04:11Z\nCompleted At: 2026-06-25T20:04:14Z\n\n';

  it('what the client tells the model between a call and its result is no result', () => {
    const tool_calls = [{ name: 'run_command', args: {} }];
    const read = reader(antigravity)(
      step('MODEL', 'PLANNER_RESPONSE', 'I look.', { step_index: 1, tool_calls }),
      step('SYSTEM', 'EPHEMERAL_MESSAGE', 'Do not mention this.', { step_index: 2 }),
      step('SYSTEM', 'CONVERSATION_HISTORY', '# Conversation History', { step_index: 3 }),
      step(
        'MODEL',
        'RUN_COMMAND',
        `${stamps}\t\t\t\tThe command failed with exit code: 1\n\t\t\t\tOutput:\n\t\t\t\tno`,
        {
          step_index: 4,
        },
      ),
    );
    expect(results(read)).toMatchObject([{ failed: true }]);
    expect(read.map(({ unknown }) => unknown)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('words about a failure in an output are no failure', () => {
    const tool_calls = [{ name: 'run_command', args: {} }];
    const read = reader(antigravity)(
      step('MODEL', 'PLANNER_RESPONSE', '', { tool_calls }),
      step(
        'MODEL',
        'RUN_COMMAND',
        `${stamps}\t\t\t\tThe command completed successfully.\n\t\t\t\tOutput:\n\t\t\t\tThe command failed with exit code: 1`,
      ),
    );
    expect(results(read)).toMatchObject([{ failed: false }]);
  });
});

it('a patch names its files, whichever tool takes it', () => {
  const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** Add File: b.ts\n+z\n*** End Patch';
  const filesIn = (agent: Agent, line: unknown) =>
    itemsOf(reader(agent)(line)).flatMap((item) =>
      item.kind === 'entry' ? item.toolUses.map((use) => use.files) : [],
    );
  const state = { status: 'completed', input: { patchText: patch }, output: 'ok' };
  const part = { type: 'tool', tool: 'apply_patch', callID: 'c', state };
  const pulled = { type: 'part', id: 'p', timestamp, message: { role: 'assistant', part } };
  const request = { toolCallId: 'c', name: 'apply_patch', arguments: patch };
  const event = { type: 'assistant.message', id: 'a', timestamp, data: { content: '', toolRequests: [request] } };
  const use = { type: 'tool_use', id: 'c', name: 'ApplyPatch', input: { input: patch } };
  const message = { type: 'message', id: 'm', timestamp, message: { role: 'assistant', content: [use] } };
  for (const [agent, line] of [
    [openCode, pulled],
    [copilot, event],
    [droid, message],
  ] as const)
    expect(filesIn(agent, line), agent.name).toEqual([['src/a.ts', 'b.ts']]);
});

it('Antigravity: the names of tools may have the prefix of their interface', () => {
  const call = { name: 'default_api:write_to_file', args: { TargetFile: '/p/a.ts' } };
  const step = { step_index: 1, source: 'MODEL', type: 'PLANNER_RESPONSE', status: 'DONE', created_at: 1790942400 };
  expect(itemsOf(reader(antigravity)({ ...step, tool_calls: [call] }))).toMatchObject([
    { toolUses: [{ tool: 'write_to_file', files: ['/p/a.ts'] }] },
  ]);
});

describe('a command that ran for too long or was stopped has failed', () => {
  const ends = [
    'Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output. There was no output before it was cancelled.',
    'Command was cancelled by user before it could complete. Below is the output before it was cancelled:\nx',
    'Command: sleep 9\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: (none)\nSignal: 15\nBackground PIDs: (none)\nProcess Group PGID: 42',
    'Output: no\nExit Code: 1\nProcess Group PGID: 42',
  ];
  const fine = [
    'Command: ls\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 42',
    'Command: ls\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: 0\nProcess Group PGID: 42',
    'Output: Signal: 9 arrived\nand more\nProcess Group PGID: 42',
  ];
  const outcome = (agent: Agent, value: unknown) => results(reader(agent)(value)).map(({ failed }) => failed);

  it.each([...ends.map((text) => [text, true] as const), ...fine.map((text) => [text, false] as const)])(
    'Gemini and Qwen: %s',
    (output, failed) => {
      const response = [{ functionResponse: { id: 'c', name: 'run_shell_command', response: { output } } }];
      const call = { id: 'c', name: 'run_shell_command', args: {}, status: 'success', result: response };
      expect(outcome(gemini, { id: 'm', timestamp, type: 'gemini', content: '', toolCalls: [call] })).toEqual([failed]);
      const line = { uuid: 'u', sessionId: 's', timestamp, type: 'tool_result', message: { parts: response } };
      expect(outcome(qwen, line)).toEqual([failed]);
    },
  );

  it.each([
    [
      'x\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 120000 ms.\n</shell_metadata>',
      true,
    ],
    ['<bash_metadata>\nUser aborted the command\n</bash_metadata>', true],
    ['the text <bash_metadata> in a file', false],
  ])('OpenCode: %s', (output, failed) => {
    const state = { status: 'completed', input: { command: 'x' }, output, metadata: { exit: null } };
    const part = { type: 'tool', tool: 'bash', callID: 'c', state };
    expect(outcome(openCode, { type: 'part', id: 'p', timestamp, message: { role: 'assistant', part } })).toEqual([
      failed,
    ]);
  });
});

it('Gemini and Qwen: a prompt has no content of the files that it names', () => {
  const parts = [
    'Summarize @a.txt',
    '\n--- Content from referenced files ---',
    '\nContent from @a.txt:\n',
    'secret plans\n--- End of content ---\nmore',
    '\n--- End of content ---',
  ].map((text) => ({ text }));
  expect(said(reader(gemini)({ id: 'm', timestamp, type: 'user', content: parts }))).toEqual([
    'person: Summarize @a.txt',
  ]);
  const whole = parts.map(({ text }) => text).join('');
  expect(said(reader(gemini)({ id: 'm', timestamp, type: 'user', content: whole }))).toEqual([
    'person: Summarize @a.txt',
  ]);
  const line = { uuid: 'u', sessionId: 's', timestamp, type: 'user', message: { role: 'user', parts } };
  expect(said(reader(qwen)(line))).toEqual(['person: Summarize @a.txt']);
});

it('Gemini 0.28 and Qwen: what the client tells a subagent in the session\u2019s own file, or to go on, is no prompt', () => {
  const texts = [
    'Your task is to do a deep investigation of the codebase to find all relevant files, code locations, and more',
    'You have stopped calling tools without finishing. You have one final chance to complete the task.',
    'System: Please continue.',
    'Please continue.',
  ];
  for (const text of texts) {
    expect(said(reader(gemini)({ id: 'm', timestamp, type: 'user', content: [{ text }] }))).toEqual([
      `machine: ${text}`,
    ]);
    const line = { uuid: 'u', sessionId: 's', timestamp, type: 'user', message: { role: 'user', parts: [{ text }] } };
    expect(said(reader(qwen)(line))).toEqual([`machine: ${text}`]);
  }
  expect(said(reader(gemini)({ id: 'm', timestamp, type: 'user', content: 'Please continue. And test it.' }))).toEqual([
    'person: Please continue. And test it.',
  ]);
});

it('Copilot before 1.0: arguments in a string, and a result with two outputs and an exit code', () => {
  const call = { toolCallId: 'c', name: 'bash', arguments: '{"command":"npm test"}' };
  const read = reader(copilot, 's/events.jsonl')(
    { type: 'assistant.message', id: 'a', timestamp, data: { content: '', toolRequests: [call] } },
    {
      ...{ type: 'tool.execution_complete', id: 'b', timestamp },
      data: { toolCallId: 'c', success: true, result: { stdout: 'one\n', stderr: 'no', exitCode: 1 } },
    },
  );
  expect(itemsOf(read)[0]).toMatchObject({ toolUses: [{ input: { command: 'npm test' } }] });
  expect(results(read)).toEqual([{ failed: true, output: 'one\n\nno' }]);
});

it('Copilot before 1.0: the call that started a subagent marks what it says', () => {
  const read = reader(copilot, 's/events.jsonl')(
    { type: 'assistant.message', id: 'a', timestamp, data: { content: 'I looked.', parentToolCallId: 'call' } },
    { type: 'assistant.message', id: 'b', timestamp, data: { content: 'The helper looked.' } },
  );
  expect(itemsOf(read)).toMatchObject([{ subagent: 'call' }, { subagent: undefined }]);
});

it('Copilot: a line for the shell that the person typed is a prompt with its outcome', () => {
  const read = reader(copilot, 's/events.jsonl')(
    {
      ...{ type: 'tool.user_requested', id: 'a', timestamp },
      data: { toolCallId: 'c', toolName: 'bash', arguments: { command: 'npm test' } },
    },
    {
      ...{ type: 'tool.execution_complete', id: 'b', timestamp },
      data: {
        toolCallId: 'c',
        isUserRequested: true,
        success: true,
        result: { content: 'no\n<exited with exit code 1>' },
      },
    },
  );
  expect(itemsOf(read)).toMatchObject([
    { author: 'person', form: 'shell', text: '! npm test', toolUses: [{ id: 'c', tool: 'bash' }] },
    { kind: 'tool-result', id: 'c', failed: true },
  ]);
});

it('Goose: a call of a tool in the frontend is a tool use', () => {
  const value = { name: 'open_file', arguments: { path: 'README.md' } };
  const content = [{ type: 'frontendToolRequest', id: 'f', toolCall: { status: 'success', value } }];
  const [item] = itemsOf(
    reader(goose)({ type: 'message', id: 'm', timestamp, message: { role: 'assistant', content } }),
  );
  expect(item).toMatchObject({ toolUses: [{ id: 'f', tool: 'open_file', files: ['README.md'] }] });
});
