import { describe, expect, it } from 'vitest';
import type { AgentState, ParsedEntry, ParsedItem } from '../agent.ts';
import { codex } from './index.ts';

type Json = Record<string, unknown>;

/** The state passes through JSON between any two lines, as it does between two passes. */
function read(version: string, mode: string, payloads: readonly (readonly [string, Json])[]): ParsedItem[] {
  let state: AgentState = {};
  const meta = ['session_meta', { id: 't', cwd: '/p', cli_version: version, history_mode: mode }] as const;
  return [meta, ...payloads].flatMap(([type, payload]) => {
    const line = { timestamp: '2026-10-01T10:00:00.000Z', type, payload };
    const { items } = codex.read(line, { key: 'sessions/rollout-2026-10-01T10-00-00-t.jsonl', state });
    state = JSON.parse(JSON.stringify(state));
    return items;
  });
}

const script = (id: string, input: string) =>
  ['response_item', { type: 'custom_tool_call', call_id: id, name: 'exec', input }] as const;
const printed = (id: string, head: string, ...texts: string[]) =>
  [
    'response_item',
    {
      type: 'custom_tool_call_output',
      call_id: id,
      output: [`${head}\nWall time 0.4 seconds\nOutput:\n`, ...texts].map((text) => ({ type: 'input_text', text })),
    },
  ] as const;
const completed = (item: Json) => ['event_msg', { type: 'item_completed', thread_id: 't', item }] as const;

const uses = (items: readonly ParsedItem[]) =>
  items.filter((item): item is ParsedEntry => item.kind === 'entry').flatMap(({ toolUses }) => toolUses);
const outcomes = (items: readonly ParsedItem[]) =>
  new Map(items.flatMap((item) => (item.kind === 'tool-result' ? [[item.id, item.failed] as const] : [])));

describe('a script of code mode', () => {
  const legacy = (...lines: (readonly [string, Json])[]) => read('0.144.3', 'legacy', lines);

  it.each([
    ['const r = await tools.exec_command({"cmd":"npm test","workdir":"/p"});\ntext(r.output);', 'npm test'],
    ["await tools.exec_command({ cmd: 'echo \"hi\" it\\'s' })", 'echo "hi" it\'s'],
    ['text(await tools.exec_command({cmd:`ls\nwc`}))', 'ls\nwc'],
    ['await Promise.all([tools.exec_command({cmd:"a"}), tools.exec_command({cmd:"b"})])', 'a\nb'],
    ['await tools.shell_command({command: "make"})', 'make'],
  ])('shows the commands that it names: %s', (input, cmd) => {
    expect(uses(legacy(script('c', input)))).toEqual([{ id: 'c', tool: 'exec', input: { cmd, input }, files: [] }]);
  });

  it('that changes files is an edit of these files', () => {
    const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** Add File: src/b.ts\n+x\n*** End Patch\n';
    for (const input of [
      `const patch = ${JSON.stringify(patch)};\ntext(await tools.apply_patch(patch));`,
      `await tools.apply_patch(\`${patch}\`)`,
    ])
      expect(uses(legacy(script('c', input)))).toEqual([
        { id: 'c', tool: 'apply_patch', input: { input: patch }, files: ['src/a.ts', 'src/b.ts'] },
      ]);
    const joined = `await tools.apply_patch(${JSON.stringify(patch.split('\n'))}.join("\\n"))`;
    expect(uses(legacy(script('c', joined)))[0]).toMatchObject({
      tool: 'apply_patch',
      files: ['src/a.ts', 'src/b.ts'],
    });
  });

  it('that changes files and runs a command did both, and each has its outcome', () => {
    const input =
      'await tools.apply_patch("*** Begin Patch\\n*** Update File: a.ts\\n@@\\n-a\\n+b\\n*** End Patch");\ntext(await tools.exec_command({cmd:"npm test"}));';
    const failed = legacy(script('c', input), printed('c', 'Script completed', '{"exit_code":1,"output":"no"}'));
    expect(uses(failed).map(({ tool }) => tool)).toEqual(['exec', 'apply_patch']);
    expect(outcomes(failed)).toEqual(
      new Map([
        ['c', true],
        ['c/patch', false],
      ]),
    );
    const never = legacy(
      script('c', input),
      printed('c', 'Script failed', 'Script error:\napply_patch verification failed'),
    );
    expect([...outcomes(never).values()]).toEqual([true, true]);
  });

  it.each([
    ['Script completed', 'ok', false],
    ['Script completed', '{"chunk_id":"7","wall_time_seconds":0.1,"exit_code":1,"output":"no"}', true],
    ['Script completed', '{\n  "chunk_id": "7",\n  "wall_time_seconds": 0.1,\n  "exit_code": 2\n}', true],
    ['Script completed', '{"chunk_id":"7","wall_time_seconds":0.1,"exit_code":0,"output":"\\"exit_code\\":1"}', false],
    ['Script failed', 'Script error:\nError: oops', true],
    ['Script terminated', '', true],
  ])('with the output %s %s has the outcome %s', (head, text, failed) => {
    expect(outcomes(legacy(script('c', 'tools.exec_command({cmd:"x"})'), printed('c', head, text))).get('c')).toBe(
      failed,
    );
  });

  it('that runs on has the outcome that a later call waits for', () => {
    const wait = [
      'response_item',
      { type: 'function_call', name: 'wait', call_id: 'w', arguments: '{"cell_id":"7"}' },
    ] as const;
    const items = legacy(
      script('c', 'tools.exec_command({cmd:"x"})'),
      printed('c', 'Script running with cell ID 7'),
      wait,
      printed('w', 'Script failed', 'Script error:\nno'),
    );
    expect(outcomes(items)).toEqual(
      new Map([
        ['c', true],
        ['w', true],
      ]),
    );
  });

  it('of a version that tells how each call ended gives each call its outcome', () => {
    const items = read('0.166.0', 'paginated', [
      script('c', 'await Promise.all([tools.exec_command({cmd:"cat no"}), tools.exec_command({cmd:"ls"})])'),
      completed({
        ...{ type: 'CommandExecution', id: 'exec-1', command: ['/bin/bash', '-lc', 'cat no'], cwd: 'file:///p' },
        ...{ status: 'failed', aggregated_output: 'cat: no\n', exit_code: 1 },
      }),
      completed({
        type: 'CommandExecution',
        id: 'exec-2',
        command: ['/bin/bash', '-lc', 'ls'],
        exit_code: 0,
        aggregated_output: '',
      }),
      completed({
        ...{ type: 'FileChange', id: 'exec-3', status: 'completed' },
        changes: { '/p/a.ts': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n', move_path: '/p/b.ts' } },
      }),
      completed({
        ...{ type: 'McpToolCall', id: 'exec-4', server: 'docs', tool: 'find', arguments: { query: 'x' } },
        ...{ status: 'failed', error: { message: 'user rejected MCP tool call' } },
      }),
      printed('c', 'Script completed', 'cat: no\n'),
    ]);
    expect(uses(items).map(({ tool, input, files }) => [tool, input, files])).toEqual([
      ['exec', { input: expect.any(String) }, []],
      ['exec_command', { cmd: 'cat no', workdir: '/p' }, []],
      ['exec_command', { cmd: 'ls', workdir: undefined }, []],
      [
        'apply_patch',
        { input: '*** Begin Patch\n*** Update File: /p/a.ts\n@@ -1 +1 @@\n-a\n+b\n' },
        ['/p/a.ts', '/p/b.ts'],
      ],
      ['mcp__docs__find', { query: 'x' }, []],
    ]);
    expect([...outcomes(items).values()]).toEqual([true, false, false, true, false]);
  });

  it('is read in time proportional to its length', () => {
    for (const part of [
      '/*',
      '//\n',
      'cmd:"',
      "cmd:'",
      'cmd:`',
      'tools.',
      '*** Begin Patch',
      '"*** Begin Patch\\',
      '*** Add File: a',
    ])
      expect(uses(legacy(script('c', `tools.apply_patch ${part.repeat(20_000)}`))).length).toBeGreaterThan(0);
  });
});
