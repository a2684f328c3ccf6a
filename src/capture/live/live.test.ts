import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeCode } from '../../agents/claude-code/index.ts';
import { client } from '../../agents/client/index.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import { type LiveEvent, liveEvents } from '../../schema/live-event.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { ingest } from '../ingest.ts';
import { openClients } from './client.ts';
import { type LiveDeps, receiveHook } from './hook.ts';

let folder: string;
let config: Config;
let store: Store;
let woken: string[];
let told: LiveEvent[];
let deps: LiveDeps;
let now = Date.parse('2026-03-01T10:00:00Z');

beforeEach(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-live-')));
  config = loadConfig({ HOME: folder, HOLDFAST_HOME: path.join(folder, 'data') });
  fs.mkdirSync(config.home, { recursive: true });
  store = await openSqliteStore(config.databasePath);
  woken = [];
  told = [];
  const clock = () => now++;
  const events = liveEvents(clock);
  events.subscribe((event) => told.push(event));
  deps = { store, config, clock, events, wake: (file) => woken.push(file) };
});

afterEach(async () => {
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const hook = (name: string, rest: object = {}) =>
  receiveHook(deps, claudeCode, { session_id: 's1', hook_event_name: name, cwd: '/home/dev/app', ...rest });
const state = () => store.sessions.state('claude-code', 's1');

describe('a hook', () => {
  it('4. counts prompts 1, 2, 3 of a session, and counts a repeated prompt once', async () => {
    await hook('UserPromptSubmit', { prompt: 'one', prompt_id: 'a' });
    await hook('UserPromptSubmit', { prompt: 'one', prompt_id: 'a' });
    await hook('UserPromptSubmit', { prompt: 'two', prompt_id: 'b' });
    expect((await state())?.prompts).toBe(2);
  });

  it('does not count a prompt that the machine made', async () => {
    await hook('UserPromptSubmit', { prompt: '<task-notification>done</task-notification>', prompt_id: 'a' });
    expect(await state()).toBeUndefined();
  });

  it('14. moves a session from initialized to active, summarizing and completed, and a prompt reopens it', async () => {
    const seen: (string | undefined)[] = [];
    for (const [name, rest] of [
      ['SessionStart', { source: 'startup' }],
      ['UserPromptSubmit', { prompt: 'go', prompt_id: 'a' }],
      ['Stop', { last_assistant_message: 'all done' }],
      ['SessionEnd', { reason: 'other' }],
      ['UserPromptSubmit', { prompt: 'again', prompt_id: 'b' }],
    ] as const) {
      await hook(name, rest);
      seen.push((await state())?.status);
    }
    expect(seen).toEqual(['initialized', 'active', 'summarizing', 'completed', 'active']);
  });

  it('7. keeps the last answer that the transcript does not hold yet, without secrets', async () => {
    await hook('Stop', { last_assistant_message: `the key is ghp_${'a1B2'.repeat(9)}` });
    expect((await state())?.lastAssistantMessage).toMatch(/^the key is \[redacted: /);
  });

  it('8. marks the end with its reason and tells live viewers', async () => {
    await hook('SessionEnd', { reason: 'prompt_input_exit' });
    expect(await state()).toMatchObject({ status: 'completed', endReason: 'prompt_input_exit' });
    expect(told.at(-1)).toMatchObject({
      kind: 'session',
      session: 's1',
      state: 'completed',
      reason: 'prompt_input_exit',
    });
  });

  it('10. has the same effect when it arrives twice', async () => {
    await hook('Stop', { last_assistant_message: 'x' });
    const once = await state();
    await hook('Stop', { last_assistant_message: 'x' });
    expect({ ...(await state()), updatedAt: '' }).toEqual({ ...once, updatedAt: '' });
    await hook('SessionEnd', { reason: 'clear' });
    await hook('Stop', { last_assistant_message: 'x' });
    expect((await state())?.status).toBe('completed');
  });

  it("wakes ingest for transcripts in the agent's own folder, and for no other path", async () => {
    const root = config.watchPath(claudeCode);
    fs.mkdirSync(path.join(root, 'p'), { recursive: true });
    const own = path.join(root, 'p', 's1.jsonl');
    const foreign = path.join(folder, 'secret.jsonl');
    fs.writeFileSync(own, '');
    fs.writeFileSync(foreign, '');
    fs.symlinkSync(foreign, path.join(root, 'p', 'link.jsonl'));
    for (const file of [
      own,
      foreign,
      `${root}/p/../../../secret.jsonl`,
      path.join(root, 'p', 'link.jsonl'),
      '/dev/zero',
      '\0',
    ]) {
      await hook('PostToolUse', { transcript_path: file });
    }
    expect(woken).toEqual([own]);
  });

  it.each([undefined, null, 7, 'text', [], {}, { session_id: 's' }, { hook_event_name: 'Stop', session_id: 5 }])(
    'refuses an invalid payload (%j)',
    async (payload) => {
      await expect(receiveHook(deps, claudeCode, payload)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    },
  );
});

describe('a client without a transcript', () => {
  it('gets one of ours, which ingest reads', async () => {
    const clients = openClients(deps);
    const id = '../../etc/passwd';
    expect(await clients.init({ sessionId: id, cwd: '/home/dev/app', userPrompt: 'rename the button' })).toEqual({
      session: id,
      promptNumber: 1,
    });
    const use = {
      sessionId: id,
      tool_name: 'FileSave',
      tool_input: { path: 'src/button.ts' },
      tool_response: 'saved',
    };
    expect(await clients.observe(use)).toEqual({ stored: true });
    expect(await clients.observe({ ...use, tool_name: 'TodoWrite' })).toEqual({ stored: false });
    await clients.summarize({
      sessionId: id,
      last_user_message: 'rename',
      last_assistant_message: 'Renamed it.',
    });
    await clients.complete({ sessionId: id, reason: 'idle' });
    expect((await clients.init({ sessionId: id, userPrompt: 'and now?' })).promptNumber).toBe(2);

    const files = fs.readdirSync(config.watchPath(client));
    expect(files).toHaveLength(1);
    expect(fs.statSync(path.join(config.watchPath(client), files[0] as string)).mode & 0o777).toBe(0o600);
    await ingest({ store, config, clock: deps.clock }, {});
    const entries = await store.entries.transcript('client', id);
    expect(entries.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'rename the button'],
      ['assistant', ''],
      ['assistant', 'Renamed it.'],
      ['user', 'and now?'],
    ]);
    expect(await store.entries.toolUses(entries.map((entry) => entry.id))).toMatchObject([
      { tool: 'FileSave', files: ['src/button.ts'], outcome: 'ok', output: 'saved' },
    ]);
    expect(await store.sessions.state('client', id)).toMatchObject({ status: 'active', prompts: 2 });
    expect(await store.sessions.find(id)).toMatchObject([{ project: 'app', title: 'rename the button' }]);
  });
});

it('nothing is kept of a client session in an ignored folder, not even its end', async () => {
  const clients = openClients({
    ...deps,
    config: loadConfig({ ...config.environment, HOLDFAST_IGNORE: '/home/dev/*' }),
  });
  const id = { sessionId: 'c' };
  expect(await clients.init({ ...id, cwd: '/home/dev/app', userPrompt: 'hushhush' })).toMatchObject({
    promptNumber: 0,
  });
  expect(await clients.observe({ ...id, tool_name: 'FileSave' })).toEqual({ stored: false });
  await clients.summarize({ ...id, last_assistant_message: 'hushhush' });
  await clients.complete({ ...id, reason: 'idle' });
  expect(fs.existsSync(config.watchPath(client))).toBe(false);
  expect(await store.sessions.state('client', 'c')).toBeUndefined();
  expect(told).toEqual([]);
});

it('half a line left by a full disk does not spoil the lines after it', async () => {
  const clients = openClients(deps);
  await clients.init({ sessionId: 'c', cwd: '/home/dev/app', userPrompt: 'before' });
  const [name] = fs.readdirSync(config.watchPath(client));
  fs.appendFileSync(path.join(config.watchPath(client), name as string), '{"kind":"prompt","id":"h","text":"ha');
  await clients.init({ sessionId: 'c', userPrompt: 'after' });
  await ingest({ store, config, clock: deps.clock }, {});
  expect((await store.entries.transcript('client', 'c')).map(({ text }) => text)).toEqual(['before', 'after']);
});

describe('6. tools whose uses are not kept', () => {
  const use = (name: string) => ({ type: 'tool_use', id: `t-${name}`, name, input: {} });
  const write = (names: readonly string[]) => {
    const root = path.join(config.watchPath(claudeCode), 'p');
    fs.mkdirSync(root, { recursive: true });
    const line = {
      type: 'assistant',
      uuid: 'u1',
      sessionId: 's1',
      timestamp: '2026-03-01T10:00:00.000Z',
      message: { role: 'assistant', content: names.map(use) },
    };
    fs.writeFileSync(path.join(root, 's1.jsonl'), `${JSON.stringify(line)}\n`);
  };
  const byDefault = [
    ...['TodoWrite', 'AskUserQuestion', 'SlashCommand', 'Skill', 'ListMcpResourcesTool'],
    ...['TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet', 'ReadMcpResourceTool', 'ToolSearch'],
  ];

  it('are these by default', () => {
    expect(config.settings.skipTools).toEqual(byDefault);
  });

  it.each(byDefault)('includes %s, in a transcript and from a client; the entry still names the tool', async (name) => {
    write([name, 'Bash']);
    await ingest({ store, config, clock: deps.clock }, {});
    expect((await store.entries.toolUses(['u1'])).map(({ tool }) => tool)).toEqual(['Bash']);
    expect((await store.entries.find('u1'))[0]).toMatchObject({ text: '', tools: [name, 'Bash'] });
    const clients = openClients(deps);
    await clients.init({ sessionId: 'c', userPrompt: 'go' });
    expect(await clients.observe({ sessionId: 'c', tool_name: name })).toEqual({ stored: false });
    expect(await clients.observe({ sessionId: 'c', tool_name: 'Bash' })).toEqual({ stored: true });
  });

  it('are exactly those of the setting, once it is set', async () => {
    const own = loadConfig({ ...config.environment, HOLDFAST_SKIP_TOOLS: 'Bash,mcp__tide__gauge' });
    write([...byDefault, 'Bash', 'mcp__tide__gauge', 'Read']);
    await ingest({ store, config: own, clock: deps.clock }, {});
    expect((await store.entries.toolUses(['u1'])).map(({ tool }) => tool).sort()).toEqual(
      [...byDefault, 'Read'].sort(),
    );
    const clients = openClients({ ...deps, config: own });
    await clients.init({ sessionId: 'c', userPrompt: 'go' });
    expect(await clients.observe({ sessionId: 'c', tool_name: 'Bash' })).toEqual({ stored: false });
    expect(await clients.observe({ sessionId: 'c', tool_name: 'TodoWrite' })).toEqual({ stored: true });
  });
});

describe('7. the last messages of a client without a transcript', () => {
  const reminder = '<system-reminder>\nmind the tide table\n</system-reminder>';
  const said = async () => (await store.entries.transcript('client', 'c')).map(({ role, text }) => [role, text]);
  const taken = () => ingest({ store, config, clock: deps.clock }, {});

  it('are stored once, without injected text, even when the client has sent nothing else', async () => {
    const clients = openClients(deps);
    const last = {
      sessionId: 'c',
      last_user_message: `${reminder}Which buoy is loose?`,
      last_assistant_message: `The red one.<claude-mem-context>old news</claude-mem-context>`,
    };
    await clients.summarize(last);
    await clients.summarize(last);
    await taken();
    expect(await said()).toEqual([
      ['user', 'Which buoy is loose?'],
      ['assistant', 'The red one.'],
    ]);
    expect(await store.sessions.state('client', 'c')).toMatchObject({
      lastUserMessage: 'Which buoy is loose?',
      lastAssistantMessage: 'The red one.',
    });
  });

  it('do not repeat a prompt that the client has already sent', async () => {
    const clients = openClients(deps);
    await clients.init({ sessionId: 'c', userPrompt: `Which buoy is loose?${reminder}` });
    await clients.summarize({ sessionId: 'c', last_user_message: 'Which buoy', last_assistant_message: 'One.' });
    await clients.summarize({ sessionId: 'c', last_user_message: 'And now?', last_assistant_message: 'One.' });
    await taken();
    expect(await said()).toEqual([
      ['user', 'Which buoy is loose?'],
      ['assistant', 'One.'],
      ['user', 'And now?'],
      ['assistant', 'One.'],
    ]);
  });

  it('store nothing when they are only a reminder, or private', async () => {
    const clients = openClients(deps);
    await clients.summarize({ sessionId: 'c', last_user_message: reminder, last_assistant_message: reminder });
    await clients.summarize({ sessionId: 'c', last_user_message: '<private>key</private>' });
    await taken();
    expect(await said()).toEqual([]);
  });
});

it('a very deeply nested tool input loses no other line', async () => {
  const root = path.join(config.watchPath(claudeCode), 'p');
  fs.mkdirSync(root, { recursive: true });
  const line = (uuid: string, content: string) =>
    `{"type":"assistant","uuid":"${uuid}","sessionId":"s1","timestamp":"2026-03-01T10:00:00.000Z",` +
    `"message":{"role":"assistant","content":[${content}]}}\n`;
  const deep = `{"type":"tool_use","id":"t1","name":"Bash","input":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  const text = '{"type":"text","text":"plain"}';
  fs.writeFileSync(path.join(root, 's1.jsonl'), line('u1', text) + line('u2', deep) + line('u3', text));
  expect((await ingest({ store, config, clock: deps.clock }, {})).problems).toEqual([]);
  expect((await store.entries.transcript('claude-code', 's1')).map(({ id }) => id)).toEqual(['u1', 'u2', 'u3']);
});
