// What must not be stored: statements 19 to 21, pauses, the ignore list, and rows from before a rule existed.
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { openClients } from '../../src/capture/live/client.ts';
import { receiveHook } from '../../src/capture/live/hook.ts';
import { redactionVersion } from '../../src/capture/redaction/redact.ts';
import { redactStored } from '../../src/capture/redaction/redact-stored.ts';
import { setSetting } from '../../src/config/config-file.ts';
import { pause, resumeCapture } from '../../src/operations/data/pause.ts';
import { doctor } from '../../src/operations/machine/doctor.ts';
import { search } from '../../src/recall/search.ts';
import { briefingTag } from '../../src/schema/briefing-tag.ts';
import { liveEvents } from '../../src/schema/live-event.ts';
import {
  answer,
  type Bench,
  type Json,
  minute,
  prompt,
  start,
  toolResult,
  toolUse,
  workbench,
} from './transcript-builder.ts';

const token = `ghp_${'0123456789aBcDeFgHiJ'.repeat(2).slice(0, 36)}`;
const aiTitle = (title: string): Json => ({ type: 'ai-title', aiTitle: title, sessionId: 's1' });

/** Whether the store has the text in any table. */
async function holds(bench: Bench, text: string): Promise<boolean> {
  const rows = JSON.stringify(bench.rows());
  const { hits } = await search(bench, { query: text, kind: 'entry', limit: 5 });
  return rows.includes(text) || hits.some((hit) => hit.snippet.includes(text));
}

const toolUsesOf = async (bench: Bench) => {
  const entries = await bench.store.entries.transcript('claude-code', 's1');
  return bench.store.entries.toolUses(entries.map((entry) => entry.id));
};

describe('19: private passages', () => {
  it('19. are removed from prompts, answers, tool inputs, tool outputs and titles', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      aiTitle('About <private>hushhush</private> the build'),
      prompt('a', 'Fix <private>hushhush</private> the build'),
      answer('b', [
        { type: 'text', text: 'On it <PRIVATE>hushhush' },
        toolUse('t', 'Bash', { command: 'echo 1\n<private>hushhush</private>', deep: [{ x: '<private>\nhushhush' }] }),
      ]),
      toolResult('c', 't', [{ type: 'text', text: 'out <private>hushhush</private> put' }]),
    ]);
    await bench.ingest();
    expect(await bench.texts()).toEqual(['Fix  the build', 'On it ']);
    expect(await toolUsesOf(bench)).toMatchObject([
      { input: '{"command":"echo 1\\n","deep":[{"x":""}]}', output: 'out  put' },
    ]);
    expect(await bench.store.sessions.list({})).toMatchObject([{ title: 'About  the build' }]);
    expect(await holds(bench, 'hushhush')).toBe(false);
  });

  it('19. are removed when they are split over the blocks of a prompt', async () => {
    const bench = await workbench();
    const content = ['before <private>hush', 'hush', 'hush</private> after'].map((text) => ({ type: 'text', text }));
    bench.write('p/s1.jsonl', [prompt('a', '', 0, { message: { role: 'user', content } })]);
    await bench.ingest();
    expect(await bench.texts()).toEqual(['before  after']);
  });

  const turn = [
    prompt('a', ' <private>Plan the hushhush party</private>\n', 1),
    answer(
      'b',
      [{ type: 'text', text: 'The hushhush party …' }, toolUse('t1', 'Write', { file_path: '/hushhush' })],
      2,
    ),
    toolResult('c', 't1', 'hushhush written', 3),
    aiTitle('The hushhush party'),
    prompt('d', '<task-notification>hushhush done</task-notification>', 4),
    answer('e', 'hushhush is ready', 5),
  ];
  const public_ = [
    prompt('f', 'Now the build', 6),
    answer('g', [{ type: 'text', text: 'Building' }, toolUse('t2', 'Bash', { command: 'make' })], 7),
    toolResult('h', 't2', 'ok', 8),
    aiTitle('The hushhush party'),
  ];

  it('19. a prompt that is wholly private stores nothing, and neither do the answers and tool uses it causes', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', turn);
    await bench.ingest();
    expect(await bench.store.entries.counts()).toMatchObject({ entries: 0, toolUses: 0, sessions: 0 });
    bench.append('p/s1.jsonl', ...public_);
    await bench.ingest();
    expect(await bench.texts()).toEqual(['Now the build', 'Building']);
    expect(await bench.store.sessions.list({})).toMatchObject([{ title: 'Now the build', toolUses: 1 }]);
    expect(await holds(bench, 'hushhush')).toBe(false);
    await bench.ingest({ reimport: true });
    expect(await holds(bench, 'hushhush')).toBe(false);
    expect(await bench.texts()).toHaveLength(2);
  });

  it('19. the rule holds wherever the file is cut, and leaves the same rows', async () => {
    const whole = await workbench();
    const lines = [prompt('z', 'First', 0), ...turn, ...public_];
    whole.write('p/s1.jsonl', lines);
    await whole.ingest();
    const pieces = await workbench();
    for (const line of lines) {
      pieces.append('p/s1.jsonl', line);
      await pieces.onto(await pieces.open()).take('p/s1.jsonl');
    }
    await pieces.ingest();
    const rebase = (bench: Bench) => JSON.parse(JSON.stringify(bench.rows()).replaceAll(bench.home, '')) as unknown;
    expect(rebase(pieces)).toEqual(rebase(whole));
    expect(await holds(pieces, 'hushhush')).toBe(false);
  });

  it('19. the rule covers the subagents that a wholly private prompt started, and only those', async () => {
    const bench = await workbench();
    const work = (id: string, from: number, text: string): Json[] => [
      prompt(`${id}1`, text, from, { isSidechain: true, agentId: id }),
      answer(`${id}2`, `doing: ${text}`, from + 30, { isSidechain: true, agentId: id }),
    ];
    bench.write('p/s1.jsonl', [...turn, ...public_]);
    bench.write('p/s1/subagents/agent-x.jsonl', work('x', 2, 'hushhush cake'));
    bench.write('p/s1/subagents/agent-y.jsonl', work('y', 7, 'compile'));
    bench.write('p/agent-old.jsonl', work('o', 3, 'hushhush old'));
    await bench.ingest();
    expect(await holds(bench, 'hushhush')).toBe(false);
    expect(await bench.texts('s1', true)).toContain('doing: compile');
    // A subagent file that comes later and alone, as the watcher brings it.
    bench.write('p/s1/subagents/agent-z.jsonl', work('z', 2, 'hushhush late'));
    await bench.take('p/s1/subagents/agent-z.jsonl');
    expect(await holds(bench, 'hushhush')).toBe(false);
  });

  it('19. the rule holds for what hooks and clients report', async () => {
    const bench = await workbench();
    let now = start;
    const deps = { ...bench.deps, clock: () => now++, events: liveEvents(() => now), wake: () => {} };
    const hook = (name: string, more: object) =>
      receiveHook(deps, claudeCode, { session_id: 's1', hook_event_name: name, cwd: '/w', ...more });
    await hook('UserPromptSubmit', { prompt: '<private>hushhush</private>', prompt_id: '1' });
    await hook('Stop', { last_assistant_message: 'hushhush is done' });
    expect((await bench.store.sessions.state('claude-code', 's1'))?.lastAssistantMessage).toBeUndefined();
    await hook('UserPromptSubmit', { prompt: 'the build', prompt_id: '2' });
    await hook('Stop', { last_assistant_message: `built with ${token}` });
    expect((await bench.store.sessions.state('claude-code', 's1'))?.lastAssistantMessage).toBe(
      'built with [redacted: GitHub token]',
    );

    const clients = openClients(deps);
    const tell = async (session: string, text: string) => {
      await clients.init({ sessionId: session, userPrompt: text, cwd: '/w' });
      await clients.observe({ sessionId: session, tool_name: 'Bash', tool_input: { x: `${text} tool` } });
      await clients.summarize({ sessionId: session, last_assistant_message: `${text} answer` });
    };
    await tell('c', '<private>hushhush');
    await clients.observe({ sessionId: 'c', tool_name: 'Bash', tool_input: { command: 'hushhush' } });
    await tell('c', 'public');
    await bench.ingest();
    const texts = (await bench.store.entries.transcript('client', 'c')).map((entry) => entry.text);
    expect(texts).toEqual(['public', '', 'public answer']);
    expect(await holds(bench, 'hushhush')).toBe(false);
    const folder = path.join(bench.config.home, 'transcripts');
    for (const file of fs.readdirSync(folder))
      expect(fs.readFileSync(path.join(folder, file), 'utf8')).not.toContain('hushhush');
  });
});

describe('20: what Holdfast gave to an agent', () => {
  it('20. is not stored again, wherever it reappears', async () => {
    const bench = await workbench();
    const given = `<${briefingTag} project="app">\nthe old tale\n</${briefingTag}>`;
    bench.write('p/s1.jsonl', [
      prompt('a', `${given}\nGo on`),
      prompt('b', `<system-reminder>\nSessionStart hook additional context: ${given}\n</system-reminder>`),
      prompt('c', given),
      answer('d', [
        { type: 'text', text: 'Looking' },
        toolUse('t1', 'mcp__holdfast__search', { query: 'tale' }),
        toolUse('t2', 'mcp__plugin_holdfast_holdfast__timeline', {}),
        toolUse('t3', 'Bash', { command: 'cat log' }),
      ]),
      toolResult('e', 't1', 'the old tale, found'),
      toolResult('f', 't2', 'the old tale, again'),
      toolResult('g', 't3', `log: ${given} end`),
      { type: 'attachment', uuid: 'h', attachment: { type: 'hook_additional_context', content: [given] } },
    ]);
    await bench.ingest();
    expect(await holds(bench, 'old tale')).toBe(false);
    const [first] = await bench.texts();
    expect(first?.trim()).toBe('Go on');
    expect(await toolUsesOf(bench)).toMatchObject([
      { input: '{"query":"tale"}', outcome: 'ok' },
      { outcome: 'ok' },
      { output: 'log:  end' },
    ]);
  });
});

describe('21: secrets', () => {
  it('21. are redacted in every place, with a mark, also where a long text is cut', async () => {
    const bench = await workbench();
    const long = `${'x '.repeat(20_000)}`;
    bench.write('p/s1.jsonl', [
      aiTitle(`Use ${token}`),
      prompt('a', `My token is ${token}, use it`),
      answer('b', [
        { type: 'text', text: `export T=${token}` },
        toolUse('t1', 'Bash', { command: `cd x\n${token}`, file_path: '/a' }),
        toolUse('t2', 'Write', { content: `${long}\n${token}` }),
      ]),
      toolResult('c', 't1', `${'y'.repeat(490)} ${token} ${long}`),
      toolResult('d', 't2', `${long}${'y '.repeat(230)}${token}\n${'z '.repeat(230)}`),
    ]);
    await bench.ingest();
    expect(await holds(bench, token.slice(4, 30))).toBe(false);
    expect(await bench.texts()).toEqual([
      'My token is [redacted: GitHub token], use it',
      'export T=[redacted: GitHub token]',
    ]);
    expect((await bench.store.sessions.list({}))[0]?.title).toBe('Use [redacted: GitHub token]');
    expect((await toolUsesOf(bench)).map(({ input }) => input.includes('[redacted: GitHub token]'))).toEqual([
      true,
      true,
    ]);
  });
});

describe('a pause', () => {
  const lines = [
    prompt('a', 'before', 0),
    answer('b', [{ type: 'text', text: 'working' }, toolUse('t1', 'Bash', { command: 'sleep' })], 1),
    toolResult('c', 't1', 'result in the pause', 11),
    prompt('d', 'in the pause', 12),
    answer('e', [{ type: 'text', text: 'also in the pause' }, toolUse('t2', 'Bash', {})], 13),
    aiTitle('a title in the pause'),
    toolResult('f', 't2', 'late result', 21),
    prompt('g', 'after', 22),
    aiTitle('a title in the pause'),
  ];
  const at = (minutes: number) => ({ clock: () => start + minutes * minute });

  it('leaves out what happened during it, whenever the transcript is read', async () => {
    const bench = await workbench();
    const context = (minutes: number) => ({ ...bench, ...at(minutes) });
    expect(await pause.run(context(10), {})).toEqual({ since: '2026-03-02T09:10:00.000Z', alreadyPaused: false });
    expect(await pause.run(context(15), {})).toEqual({ since: '2026-03-02T09:10:00.000Z', alreadyPaused: true });
    const running = (await doctor.run(context(15), {})).checks.find(({ name }) => name === 'capture');
    expect(running).toMatchObject({ ok: true, message: expect.stringContaining('paused since 2026-03-02T09:10') });
    expect(await resumeCapture.run(context(20), {})).toEqual({
      resumed: true,
      since: '2026-03-02T09:10:00.000Z',
      until: '2026-03-02T09:20:00.000Z',
    });
    expect(await resumeCapture.run(context(21), {})).toEqual({ resumed: false });

    bench.write('p/s1.jsonl', lines);
    for (const reimport of [false, true]) {
      await bench.ingest({ reimport });
      expect(await bench.texts()).toEqual(['before', 'working', 'after']);
      expect(await holds(bench, 'the pause')).toBe(false);
      expect(await toolUsesOf(bench)).toMatchObject([{ tool: 'Bash' }]);
    }
  });

  it('takes effect in a running worker', async () => {
    const bench = await workbench();
    const stop = new AbortController();
    const worker = bench.work(stop.signal);
    bench.write('p/s1.jsonl', [lines[0] as Json]);
    await expect.poll(() => bench.texts()).toEqual(['before']);
    const other = await bench.open();
    await other.pauses.start({ at: start + 10 * minute });
    bench.append('p/s1.jsonl', prompt('d', 'in the pause', 12));
    await expect
      .poll(async () => (await bench.state('p/s1.jsonl'))?.offset)
      .toBe(fs.statSync(path.join(bench.root, 'p/s1.jsonl')).size);
    await other.pauses.end({ at: start + 20 * minute });
    bench.append('p/s1.jsonl', prompt('g', 'after', 22));
    await expect.poll(() => bench.texts()).toEqual(['before', 'after']);
    stop.abort();
    await worker;
  });

  it('keeps the last answer of a hook out, too', async () => {
    const bench = await workbench();
    await bench.store.pauses.start({ at: start });
    const deps = { ...bench.deps, ...at(1), events: liveEvents(() => start), wake: () => {} };
    await receiveHook(deps, claudeCode, {
      session_id: 's1',
      hook_event_name: 'Stop',
      cwd: '/w',
      last_assistant_message: 'said in the pause',
    });
    expect((await bench.store.sessions.state('claude-code', 's1'))?.lastAssistantMessage).toBeUndefined();
  });
});

describe('the ignore list', () => {
  const session = (id: string, cwd: string): Json[] => [
    prompt(`${id}1`, `${id} said`, 0, { sessionId: id, cwd }),
    answer(`${id}2`, [{ type: 'text', text: `${id} answered` }, toolUse(`${id}t`, 'Read')], 1, { sessionId: id, cwd }),
    toolResult(`${id}3`, `${id}t`, `${id} result`, 2),
  ];
  const stored = async (bench: Bench) => (await bench.store.sessions.list({})).map(({ id }) => id).sort();

  it.each([
    ['/srv/secret', ['other', 'star', 'twin']],
    ['/srv/secret/', ['other', 'star', 'twin']],
    ['/srv/*/deep', ['below', 'other', 'secret', 'twin']],
    ['/srv/**', ['other']],
    ['twin', ['below', 'other', 'secret', 'star']],
    ['s*,other', ['below', 'star', 'twin']],
    ['~/diary', ['below', 'other', 'secret', 'star', 'twin']],
  ])('%s leaves %j', async (ignore, left) => {
    const bench = await workbench({ HOLDFAST_IGNORE: ignore });
    bench.write('p/secret.jsonl', session('secret', '/srv/secret'));
    bench.write('p/below.jsonl', session('below', '/srv/secret/below'));
    bench.write('p/star.jsonl', session('star', '/srv/a/deep'));
    bench.write('p/twin.jsonl', session('twin', '/srv/secretary/twin'));
    bench.write('p/other.jsonl', session('other', '/elsewhere/other'));
    bench.write('p/diary.jsonl', session('diary', path.join(bench.home, 'diary')));
    await bench.ingest();
    expect(await stored(bench)).toEqual(ignore === '~/diary' ? left : [...left, 'diary'].sort());
  });

  it('holds for all of a session that began in an ignored folder, and takes effect while the program runs', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [prompt('a', 'stored before', 0, { cwd: '/srv/secret' })]);
    await bench.ingest();
    setSetting(bench.config, 'ignore', '/srv/secret');
    bench.append(
      'p/s1.jsonl',
      prompt('b', 'hushhush', 1, { cwd: '/srv/secret' }),
      prompt('c', 'hushhush', 2, { cwd: '/tmp' }),
    );
    await bench.ingest();
    // Stored entries stay until the transcript is read again.
    expect(await bench.texts()).toEqual(['stored before']);
    await bench.ingest({ reimport: true, prune: true });
    expect(await bench.texts()).toEqual([]);
  });
});

describe('rows from before a rule existed', () => {
  async function withOldRows(count: number) {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      aiTitle('plain title'),
      ...Array.from({ length: count }, (_, i) =>
        i % 2 === 0
          ? prompt(`e${i}`, `entry ${i} SECRET`, i)
          : answer(`e${i}`, [toolUse(`t${i}`, 'Bash', { command: 'a\\nSECRET' })], i),
      ),
    ]);
    bench.write('p/s2.jsonl', [prompt('x', 'SECRET first', 0, { sessionId: 's2' })]);
    await bench.ingest();
    const db = new Database(bench.config.databasePath);
    db.prepare("UPDATE entries SET text = replace(text, 'SECRET', ?)").run(token);
    db.prepare("UPDATE tool_uses SET input = replace(input, 'SECRET', ?), output = 'was ' || ?").run(token, token);
    db.prepare('UPDATE file_sessions SET title = title || ?').run(` ${token}`);
    db.prepare("UPDATE sessions SET title = replace(title, 'SECRET', ?)").run(token);
    db.exec('DELETE FROM entries_fts');
    for (const { id, text } of db.prepare('SELECT id, text FROM entries').all() as { id: number; text: string }[])
      db.prepare('INSERT INTO entries_fts (rowid, text) VALUES (?, ?)').run(id, text);
    db.prepare("UPDATE facts SET value = json_set(value, '$.done', 0, '$.version', 0) WHERE name = 'redaction'").run();
    db.close();
    expect(await holds(bench, token)).toBe(true);
    return bench;
  }
  const onDisk = (bench: Bench) =>
    ['', '-wal'].some((side) => {
      const file = bench.config.databasePath + side;
      return fs.existsSync(file) && fs.readFileSync(file).includes(token);
    });

  it('are redacted by the next ingest: texts, inputs, outputs, titles, and the index', async () => {
    const bench = await withOldRows(40);
    await bench.ingest();
    expect(await holds(bench, token)).toBe(false);
    expect((await bench.texts())[0]).toBe('entry 0 [redacted: GitHub token]');
    expect((await toolUsesOf(bench))[0]).toMatchObject({
      input: '{"command":"a\\\\n[redacted: GitHub token]"}',
      output: 'was [redacted: GitHub token]',
    });
    const titles = (await bench.store.sessions.list({})).map(({ title }) => title).sort();
    expect(titles).toEqual(['[redacted: GitHub token] first', 'plain title [redacted: GitHub token]']);
    const { hits } = await search(bench, { query: 'redacted entry', kind: 'entry', limit: 50 });
    expect(hits.length).toBeGreaterThanOrEqual(20);
    expect(await bench.store.admin.integrity()).toEqual([]);
    await bench.closeStores();
    expect(onDisk(bench)).toBe(false);
  });

  it('are redacted in steps that continue after a stop, and only once', async () => {
    const bench = await withOldRows(1200);
    const stop = new AbortController();
    stop.abort();
    const steps: boolean[] = [];
    for (let i = 0; i < 20 && !steps.includes(true); i++) {
      // Each step runs in another process, which ends after it.
      const store = await bench.open();
      steps.push((await redactStored({ store, signal: stop.signal })).done);
    }
    expect(steps.length).toBeGreaterThan(4);
    expect(steps.at(-1)).toBe(true);
    expect(await holds(bench, token)).toBe(false);
    let looked = 0;
    const change = (text: string) => {
      looked++;
      return text;
    };
    const done = await bench.store.removal.rewriteTexts(redactionVersion, { text: change, json: change }, 10);
    expect(done).toMatchObject({ done: true });
    expect(looked).toBe(0);
    const next = await bench.store.removal.rewriteTexts(redactionVersion + 1, { text: change, json: change }, 10);
    expect(next).toMatchObject({ done: false });
    expect(looked).toBeGreaterThanOrEqual(10);
  });

  it('do not keep a newer chunk from being imported between two steps', async () => {
    const bench = await withOldRows(10);
    await bench.store.removal.rewriteTexts(1, { text: (text) => text, json: (text) => text }, 3);
    bench.append('p/s1.jsonl', prompt('new', `with ${token}`, 50));
    await bench.ingest();
    expect((await bench.texts()).at(-1)).toBe('with [redacted: GitHub token]');
  });
});
