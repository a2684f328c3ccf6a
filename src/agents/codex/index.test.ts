import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { because } from '../../../test/because.ts';
import { workbench } from '../../../test/contracts/transcript-builder.ts';
import type { AgentState, ParsedEntry, ParsedItem } from '../agent.ts';
import { codex } from './index.ts';

type Json = Record<string, unknown>;

const fixtures = path.join(import.meta.dirname, 'fixtures');
const day = 'sessions/2026/11/16';

const linesOf = (file: string): Json[] =>
  fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

/** Reads lines one by one; the state passes through JSON between any two, as it does between two passes. */
function readAll(lines: readonly Json[], key = `${day}/rollout-2026-11-16T00-00-00-thread.jsonl`): ParsedItem[] {
  let state: AgentState = {};
  return lines.flatMap((line) => {
    const { items } = codex.read(line, { key, state });
    state = JSON.parse(JSON.stringify(state));
    return items;
  });
}

const entriesOf = (items: readonly ParsedItem[]) => items.filter((item): item is ParsedEntry => item.kind === 'entry');
const said = (items: readonly ParsedItem[]) => entriesOf(items).map(({ author, text }) => `${author}: ${text}`);

const at = (second: number) => new Date(Date.parse('2026-05-01T10:00:00.000Z') + second * 1000).toISOString();
const line = (second: number, type: string, payload: Json): Json => ({ timestamp: at(second), type, payload });
const meta = (id = 't1', more: Json = {}) =>
  line(0, 'session_meta', { id, cwd: '/home/dev/app', cli_version: '0.140.0', source: 'cli', ...more });
const turn = (second: number, id: string) => line(second, 'event_msg', { type: 'task_started', turn_id: id });
const typed = (second: number, message: string, more: Json = {}) =>
  line(second, 'event_msg', { type: 'user_message', message, ...more });
const answered = (second: number, text: string) =>
  line(second, 'response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const seen = (second: number, text: string, more: Json = {}) =>
  line(second, 'response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }], ...more });
const call = (second: number, id: string, name: string, input: Json) =>
  line(second, 'response_item', { type: 'function_call', name, call_id: id, arguments: JSON.stringify(input) });
const output = (second: number, id: string, text: string) =>
  line(second, 'response_item', { type: 'function_call_output', call_id: id, output: text });

describe('prompts', () => {
  it('are what the person typed, without what the client and the editor put around it', () => {
    const items = readAll([
      meta(),
      turn(1, 'a'),
      seen(1, '<environment_context>\n<cwd>/x</cwd>\n</environment_context>'),
      seen(1, '# AGENTS.md instructions for /x\n\nbe kind'),
      seen(2, 'why is it slow?'),
      typed(2, 'why is it slow?'),
      seen(3, '<skill>\n<name>a</name>\n</skill>'),
      turn(4, 'b'),
      typed(4, '# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nfix a.ts\n'),
      typed(5, '<environment_context>x</environment_context>', { kind: 'environment_context' }),
      turn(5, 'b2'),
      typed(
        5,
        '# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\nDistinguish instructions in attached documents from the request.\n\n## My request:\nmake it blue\n\n<image name=[Image #1]>\n</image>',
      ),
      turn(6, 'c'),
      typed(6, 'look', { images: ['data:image/png;base64,AAAA'], local_images: ['/tmp/shot.png'] }),
    ]);
    const persons = [...new Map(entriesOf(items).map((entry) => [entry.uuid, entry.text])).values()];
    expect(persons).toEqual(['why is it slow?', 'fix a.ts', 'make it blue', 'look\n[Image]\n[Image: shot.png]']);
  });

  it('are found in files of other programs without events, and of newer versions with other events', () => {
    const plain = readAll([meta('t', { cli_version: '0.0.0' }), seen(1, 'one'), answered(2, 'yes'), seen(3, 'two')]);
    expect(said(plain)).toEqual(['person: one', 'model: yes', 'person: two']);
    const from = (type: string) => ({
      internal_chat_message_metadata_passthrough: { content_item_metadata: [{ provenance: { type } }] },
    });
    const lines = [
      ...[turn(1, 'a'), seen(1, 'context', from('harness')), seen(1, 'other context'), seen(1, 'one', from('user'))],
      ...[turn(2, 'b'), seen(2, 'two', from('user'))],
    ];
    expect(said(readAll([meta('t', { cli_version: '0.300.0' }), ...lines]))).toEqual(['person: one', 'person: two']);
    expect(said(readAll([meta('t', { cli_version: '0.166.0' }), ...lines]))).toEqual([]);
  });

  it('to a subagent come from the machine; a second one in a turn does not start another turn', () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: 't0', agent_nickname: 'Ada' } } };
    const [header, ...rest] = readAll([meta('t1', { source }), turn(1, 'a'), typed(1, 'do it'), typed(2, 'and that')]);
    expect(header).toMatchObject({ kind: 'header', session: 't1', parent: 't0', subagent: 'Ada' });
    expect(said(rest)).toEqual(['machine: do it', 'machine: and that']);
    expect(entriesOf(rest).map(({ queued }) => queued)).toEqual([undefined, 'given']);
  });

  it('lines for the shell are kept as typed, with their outcome', () => {
    const text =
      '<user_shell_command>\n<command>\nnpm test\n</command>\n<result>\nExit code: 1\nDuration: 2s\nOutput:\n1 failed\n</result>\n</user_shell_command>';
    const items = readAll([meta(), seen(1, text)]);
    expect(entriesOf(items)[0]).toMatchObject({ author: 'person', form: 'shell', text: '! npm test' });
    expect(items.at(-1)).toMatchObject({ kind: 'tool-result', failed: true, output: '1 failed' });
  });
});

describe('threads of Codex itself', () => {
  it.each([
    { source: { internal: 'memory_consolidation' } },
    { thread_source: 'memory_consolidation' },
    { source: { subagent: 'memory_consolidation' } },
  ])('%j yields nothing', (origin) => {
    expect(entriesOf(readAll([meta('m', origin), turn(1, 'a'), typed(1, 'consolidate'), answered(2, 'done')]))).toEqual(
      [],
    );
  });
});

describe('outcomes', () => {
  const outcome = (...lines: Json[]) =>
    readAll([meta(), turn(1, 'a'), call(1, 'c1', 'exec_command', { cmd: 'x' }), ...lines])
      .filter((item) => item.kind === 'tool-result')
      .filter(({ id }) => id === 'c1')
      .at(-1);

  it.each([
    ['{"output":"no","metadata":{"exit_code":2}}', true, 'no'],
    ['{"output":"yes","metadata":{"exit_code":0}}', false, 'yes'],
    [
      'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 1\nOutput:\nno',
      true,
      'no',
    ],
    [
      'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 1',
      false,
      'Process exited with code 1',
    ],
    ['Exit code: 1\nWall time: 0 seconds\nOutput:\nno', true, 'no'],
    ['apply_patch verification failed: Failed to find', true, 'apply_patch verification failed: Failed to find'],
    ['aborted by user after 3s', true, 'aborted by user after 3s'],
    ['exec command rejected by user', true, 'exec command rejected by user'],
    ['user rejected MCP tool call', true, 'user rejected MCP tool call'],
    ['`rm -rf x` rejected: blocked by policy', true, '`rm -rf x` rejected: blocked by policy'],
    ['Command blocked by PreToolUse hook: no', true, 'Command blocked by PreToolUse hook: no'],
    ['aborted', true, 'aborted'],
    ['Plan updated', false, 'Plan updated'],
    ['The tests pass.\nOne patch was rejected by user', false, 'The tests pass.\nOne patch was rejected by user'],
  ])('of %j', (text, failed, shown) => {
    expect(outcome(output(2, 'c1', text))).toMatchObject({ failed, output: shown });
  });

  it('a command that later calls wait for has its final outcome', () => {
    const running = output(
      2,
      'c1',
      'Chunk ID: 1\nWall time: 10 seconds\nProcess running with session ID 7\nOutput:\n…',
    );
    const waiting = call(3, 'c2', 'write_stdin', { session_id: 7, chars: '' });
    const ended = output(4, 'c2', 'Chunk ID: 2\nWall time: 1 seconds\nProcess exited with code 101\nOutput:\nfailed');
    expect(outcome(running, waiting, ended)).toMatchObject({ failed: true, output: 'failed' });
  });

  it('an event about a failure counts, even if the model was not told', () => {
    const end = line(2, 'event_msg', { type: 'mcp_tool_call_end', call_id: 'c1', result: { Ok: { isError: true } } });
    expect(outcome(end, output(3, 'c1', 'Wall time: 1 seconds\nOutput:\nnot found'))).toMatchObject({ failed: true });
    const done = line(2, 'event_msg', {
      type: 'item_completed',
      item: { type: 'CommandExecution', id: 'c1', exit_code: 3, aggregated_output: 'no' },
    });
    expect(outcome(done)).toMatchObject({ failed: true, output: 'no' });
  });

  it('a patch inside a command line names its files', () => {
    const command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch\nEOF";
    const files = [{ command }, { cmd: command }, { command: ['bash', '-lc', command] }].map(
      (input) => entriesOf(readAll([meta(), call(1, 'x', 'shell_command', input)]))[0]?.toolUses[0]?.files,
    );
    expect(files).toEqual([['a.ts'], ['a.ts'], ['a.ts']]);
  });

  it('names tools of MCP servers as other clients do, and the files of a patch', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** Add File: c.ts\n*** End Patch';
    const items = readAll([
      meta(),
      line(1, 'response_item', {
        type: 'function_call',
        name: 'search',
        namespace: 'mcp__holdfast',
        call_id: 'x',
        arguments: '{',
      }),
      line(1, 'response_item', { type: 'custom_tool_call', name: 'apply_patch', call_id: 'y', input: patch }),
    ]);
    const uses = entriesOf(items).flatMap(({ toolUses }) => toolUses);
    expect(uses.map(({ tool, files }) => [tool, files])).toEqual([
      ['mcp__holdfast__search', []],
      ['apply_patch', ['a.ts', 'b.ts', 'c.ts']],
    ]);
  });
});

it('a name in an event is the title of its own thread', () => {
  const named = (name: string, more: Json = {}) =>
    line(1, 'event_msg', { type: 'thread_name_updated', thread_name: name, ...more });
  const items = readAll([
    meta(),
    named('Parser', { thread_id: 't1' }),
    named(' Lexer '),
    named('x', { thread_id: 't0' }),
  ]);
  expect(items.flatMap((item) => (item.kind === 'title' ? [item.title] : []))).toEqual(['Parser', 'Lexer']);
});

describe('ids', () => {
  const filesOf = (version: string) => {
    const folder = path.join(fixtures, version, day);
    return fs
      .readdirSync(folder)
      .sort()
      .map((name) => linesOf(path.join(folder, name)));
  };
  const ids = (version: string) =>
    filesOf(version).flatMap((lines) => entriesOf(readAll(lines)).map(({ uuid }) => uuid));

  it('survive the migration of a file', () => {
    expect(ids('0.120.0-migrated')).toEqual(ids('0.120.0'));
    expect(new Set(ids('0.120.0')).size).toBeGreaterThan(8);
  });

  it('are the same in a fork that copies the lines under new times, and its own lines get new ones', () => {
    const history = [turn(1, 'a'), typed(1, 'one'), answered(2, 'yes'), call(3, 'c', 'x', {}), answered(4, 'yes')];
    const copied = history.map((copy) => ({ ...copy, timestamp: at(99) }));
    const fork = [meta('t2', { forked_from_id: 't1' }), meta('t1'), ...copied, turn(100, 'b'), typed(100, 'two')];
    const [mine, theirs] = [entriesOf(readAll([meta(), ...history])), entriesOf(readAll(fork))];
    expect(theirs.slice(0, 4).map(({ uuid }) => uuid)).toEqual(mine.map(({ uuid }) => uuid));
    expect(new Set(theirs.map(({ uuid }) => uuid)).size).toBe(5);
    expect(readAll(fork)[0]).toMatchObject({ session: 't2', forkOf: 't1' });
  });

  it('are those of the origin in the copy that a fork of a version without turns makes', () => {
    const [mine = [], theirs = []] = filesOf('0.98.0').map((lines) => entriesOf(readAll(lines)));
    const [ids, copied] = [mine, theirs].map((entries) => entries.map(({ uuid }) => uuid)) as [string[], string[]];
    expect(ids.length).toBe(7);
    expect(copied.slice(0, 7)).toEqual(ids);
    expect(theirs.slice(7).map(({ text }) => text)).toEqual([
      'NOTOOLS only in the fork',
      'Plain answer without tools.',
    ]);
    expect(new Set([...ids, ...copied]).size).toBe(9);
  });

  it('differ where the origin and two forks of a version without turns go on after the same line', () => {
    const old = { cli_version: '0.98.0' };
    const history = [typed(1, 'one'), answered(2, 'yes')];
    const copy = [meta('t1', old), ...history].map((line) => ({ ...line, timestamp: at(99) }));
    const fork = (id: string, text: string) => [
      { ...meta(id, { ...old, forked_from_id: 't1' }), timestamp: at(99) },
      ...[...copy, typed(100, text), answered(101, 'yes')],
    ];
    const files = [[meta('t1', old), ...history, typed(50, 'here')], fork('t2', 'there'), fork('t3', 'elsewhere')];
    const texts = new Map(files.flatMap((lines) => entriesOf(readAll(lines)).map(({ uuid, text }) => [uuid, text])));
    expect([...texts.values()]).toEqual(['one', 'yes', 'here', 'there', 'yes', 'elsewhere', 'yes']);
  });

  it('are those of the origin if a newer version forks a file of an older one', () => {
    const history = [typed(1, 'one'), answered(2, 'yes')];
    const copy = [meta('t1', { cli_version: '0.98.0' }), ...history].map((line) => ({ ...line, timestamp: at(99) }));
    const own = { ...meta('t2', { cli_version: '0.145.0', forked_from_id: 't1' }), timestamp: at(99) };
    const fork = [own, ...copy, turn(100, 'b'), typed(100, 'two'), answered(101, 'no')];
    const mine = entriesOf(readAll([meta('t1', { cli_version: '0.98.0' }), ...history])).map(({ uuid }) => uuid);
    const theirs = entriesOf(readAll(fork));
    expect(theirs.slice(0, 2).map(({ uuid }) => uuid)).toEqual(mine);
    expect(new Set(theirs.map(({ uuid }) => uuid)).size).toBe(4);
  });

  it('of a fork of a fork of a version without turns are its own: its lines do not say whose they are', () => {
    const old = { cli_version: '0.98.0' };
    const copied = [meta('t2', old), meta('t1', old), typed(1, 'one'), meta('t1', old), typed(2, 'two')];
    const fork = [meta('t3', old), ...copied].map((line) => ({ ...line, timestamp: at(99) }));
    const origin = entriesOf(readAll([meta('t1', old), typed(1, 'one'), typed(2, 'other')])).map(({ uuid }) => uuid);
    expect(origin).not.toContain(entriesOf(readAll(fork))[1]?.uuid);
  });

  it('of a line for the shell and of a prompt in the same turn differ', () => {
    const shell =
      '<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 0\n</result>\n</user_shell_command>';
    const entries = entriesOf(readAll([meta(), turn(1, 'a'), seen(1, shell), typed(2, 'go')]));
    expect(new Set(entries.map(({ uuid }) => uuid)).size).toBe(2);
  });

  it('of the same words at the same moment differ', () => {
    const lines = [
      meta('t', { cli_version: '0.47.0' }),
      typed(1, 'go'),
      typed(1, 'go'),
      answered(1, 'ok'),
      answered(1, 'ok'),
    ];
    expect(new Set(entriesOf(readAll(lines)).map(({ uuid }) => uuid)).size).toBe(4);
  });
});

describe('in the memory', () => {
  async function memory() {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-codex-'));
    onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
    const bench = await workbench({ CODEX_HOME: root });
    const put = (key: string, lines: readonly Json[]) => {
      fs.mkdirSync(path.dirname(path.join(root, key)), { recursive: true });
      fs.writeFileSync(path.join(root, key), `${lines.map((one) => JSON.stringify(one)).join('\n')}\n`);
    };
    const texts = async (session: string) =>
      (await bench.store.entries.transcript('codex', session)).map(({ text, abandoned }) =>
        abandoned ? `(${text})` : text,
      );
    return { ...bench, root, put, texts };
  }
  const key = (id: string) => `sessions/2026/05/01/rollout-2026-05-01T10-00-00-${id}.jsonl`;

  it('a file that is migrated in place, then archived, stays one session with the same entries', async () => {
    const bench = await memory();
    const session = '01a1e1c5-3c49-76e0-9a76-6623eca207c9';
    const name = `rollout-2026-11-16T00-32-42-${session}.jsonl`;
    const [from, to] = ['0.120.0', '0.120.0-migrated'].map((set) => linesOf(path.join(fixtures, set, day, name)));
    bench.put(`${day}/${name}`, from ?? []);
    await bench.ingest();
    const before = await bench.store.entries.transcript('codex', session);
    bench.put(`${day}/${name}`, to ?? []);
    await bench.ingest();
    const entries = await bench.store.entries.transcript('codex', session);
    expect(entries).toEqual(before);
    expect(entries.length).toBe(9);
    fs.mkdirSync(path.join(bench.root, 'archived_sessions'));
    fs.renameSync(path.join(bench.root, day, name), path.join(bench.root, 'archived_sessions', name));
    await bench.ingest();
    expect(await bench.store.entries.transcript('codex', session)).toEqual(before);
    expect((await bench.store.sessions.list({ limit: 10 })).length).toBe(1);
  });

  it('a fork that copied its history under new times does not double it, and the times of the origin count', async () => {
    const bench = await memory();
    const folder = path.join(fixtures, '0.98.0', day);
    const [origin = '', fork = ''] = fs.readdirSync(folder).sort();
    for (const name of [fork, origin]) {
      bench.put(`${day}/${name}`, linesOf(path.join(folder, name)));
      await bench.ingest();
    }
    expect(await bench.store.entries.counts()).toMatchObject({ entries: 9, sessions: 2, toolUses: 2 });
    const times = async (session: string) =>
      (await bench.store.entries.transcript('codex', session)).map(({ at }) => at.slice(11));
    const [began, forked] = [await times(origin.slice(-42, -6)), await times(fork.slice(-42, -6))];
    expect(began[0]).toBe('15:02:13.275Z');
    expect(forked.slice(0, 7)).toEqual(began);
    expect(forked[7]).toBe('15:02:23.276Z');
  });

  const zstd = (zlib as { zstdCompressSync?: (text: string) => Buffer }).zstdCompressSync;
  const name = 'rollout-2026-05-01T10-00-00-t1.jsonl';
  const lines = [meta(), turn(1, 'a'), typed(1, 'one'), answered(2, 'first')];
  const packed = (bytes: Buffer, root: string) => {
    fs.mkdirSync(path.join(root, 'sessions'), { recursive: true });
    fs.writeFileSync(path.join(root, 'sessions', `${name}.zst`), bytes);
  };

  const noZstd = zstd === undefined ? 'this Node cannot read zstd' : undefined;
  it.skipIf(noZstd)(because('a packed rollout gives the same entries as the plain one', noZstd), async () => {
    const bench = await memory();
    packed(zstd?.(lines.map((one) => JSON.stringify(one)).join('\n')) ?? Buffer.alloc(0), bench.root);
    await bench.ingest();
    expect(await bench.texts('t1')).toEqual(['one', 'first']);
    bench.put(`sessions/${name}`, [...lines, turn(9, 'b'), typed(9, 'two')]);
    fs.rmSync(path.join(bench.root, 'sessions', `${name}.zst`));
    await bench.ingest();
    expect(await bench.texts('t1')).toEqual(['one', 'first', 'two']);
  });

  const reads = zstd === undefined ? undefined : 'this Node reads zstd';
  it.skipIf(reads)(
    because('a packed rollout that this Node cannot read is reported, with what to do', reads),
    async () => {
      const bench = await memory();
      packed(Buffer.from('28b52ffd', 'hex'), bench.root);
      const { problems } = await bench.ingest();
      expect(problems.map(({ message }) => message).join()).toMatch(/t1\.jsonl\.zst is packed with zstd/);
    },
  );

  it('turns that were taken back are marked as abandoned', async () => {
    const bench = await memory();
    bench.put(key('t1'), [
      meta(),
      ...[
        turn(1, 'a'),
        typed(1, 'one'),
        answered(2, 'first'),
        line(2, 'event_msg', { type: 'task_complete', turn_id: 'a' }),
      ],
      ...[
        turn(3, 'b'),
        typed(3, 'wrong'),
        answered(4, 'way'),
        line(4, 'event_msg', { type: 'task_complete', turn_id: 'b' }),
      ],
      line(5, 'event_msg', { type: 'thread_rolled_back', num_turns: 1 }),
      ...[turn(6, 'c'), typed(6, 'right'), answered(7, 'way')],
    ]);
    await bench.ingest();
    expect(await bench.texts('t1')).toEqual(['one', 'first', '(wrong)', '(way)', 'right', 'way']);
  });

  it('abandons every turn if all of them were taken back', async () => {
    const bench = await memory();
    bench.put(key('t1'), [
      meta(),
      ...[turn(1, 'a'), typed(1, 'wrong'), answered(2, 'way')],
      line(5, 'event_msg', { type: 'thread_rolled_back', num_turns: 1 }),
      ...[turn(6, 'c'), typed(6, 'right'), answered(7, 'way')],
    ]);
    await bench.ingest();
    expect(await bench.texts('t1')).toEqual(['(wrong)', '(way)', 'right', 'way']);
  });

  it("takes the person's names from the index, whichever comes first, and forgets them with the session", async () => {
    const bench = await memory();
    const titles = async () => (await bench.store.sessions.list({ limit: 10 })).map(({ title }) => title).sort();
    const named = (id: string, thread_name: string) => ({ id, thread_name, updated_at: at(0) });
    bench.put('session_index.jsonl', [named('t1', 'Tide tables'), named('t2', 'Later')]);
    bench.put(key('t1'), [meta(), turn(1, 'a'), typed(1, 'one')]);
    await bench.ingest();
    bench.put(key('t2'), [meta('t2'), turn(1, 'b'), typed(1, 'two')]);
    await bench.ingest();
    expect(await titles()).toEqual(['Later', 'Tide tables']);
    bench.put('session_index.jsonl', [named('t1', 'Tide tables'), named('t2', 'Later'), named('t1', 'Tides')]);
    await bench.ingest();
    expect(await titles()).toEqual(['Later', 'Tides']);
  });

  it('what a subagent does for a private prompt is not stored either', async () => {
    const bench = await memory();
    const source = { subagent: { thread_spawn: { parent_thread_id: 't1', agent_nickname: 'Ada' } } };
    bench.put(key('t1'), [
      meta(),
      ...[turn(1, 'a'), typed(1, '<private>the plan</private>'), answered(2, 'secret')],
      ...[turn(50, 'b'), typed(50, 'open'), answered(51, 'known')],
    ]);
    bench.put(key('t2'), [meta('t2', { source }), turn(3, 'x'), typed(3, 'work on the plan'), answered(4, 'planned')]);
    bench.put(key('t3'), [meta('t3', { source }), turn(60, 'y'), typed(60, 'help'), answered(61, 'helped')]);
    await bench.ingest();
    expect(await bench.texts('t1')).toEqual(['open', 'known']);
    expect(await bench.texts('t2')).toEqual([]);
    expect(await bench.texts('t3')).toEqual(['help', 'helped']);
  });
});

const archive = path.join(import.meta.dirname, '../../../../shared/agents/real/codex-sessions.tar.gz');

describe.skipIf(!fs.existsSync(archive))('real sessions of other people', () => {
  it('yield all prompts, answers and calls of their raw lines, and have no line of an unknown kind', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-codex-real-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    execFileSync('tar', ['xzf', archive, '-C', folder]);
    const inside = path.join(folder, 'codex-sessions');
    const counts = { prompts: 0, answers: 0, calls: 0, results: 0 };
    for (const name of fs.readdirSync(inside)) {
      const lines = linesOf(path.join(inside, name));
      const state: AgentState = {};
      for (const one of lines) expect(codex.read(one, { key: name, state }).unknown).toBeUndefined();
      const items = readAll(lines, name);
      const entries = [...new Map(entriesOf(items).map((entry) => [entry.uuid, entry])).values()];
      counts.prompts += entries.filter(({ author }) => author === 'person').length;
      counts.answers += entries.filter(({ author, toolUses }) => author === 'model' && toolUses.length === 0).length;
      counts.calls += entries.filter(({ toolUses }) => toolUses.length > 0).length;
      counts.results += new Set(items.flatMap((item) => (item.kind === 'tool-result' ? [item.id] : []))).size;
    }
    // Counted with jq: user_message events, assistant messages, calls, and outputs.
    expect(counts).toEqual({ prompts: 208, answers: 1981, calls: 4128, results: 4089 });
  });
});
