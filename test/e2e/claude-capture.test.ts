// The real client with Holdfast installed, seen from both sides: what reached the API, and what Holdfast knows afterwards.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import {
  clientCases,
  eventually,
  isMissing,
  type Machine,
  machine,
  prepared,
  preparedFor,
  type Session,
  workerPid,
} from './claude.ts';
import { ask, holdfast, until } from './holdfast.ts';
import type { Step } from './mock-anthropic.ts';

const bash = (command: string): Step => ({ tool: 'Bash', input: { command } });
const allowed = ['--allowedTools', 'Bash,Read,Agent,Task'];

/** What hooks have reported about sessions, from the store. */
function told(own: Machine): { session: string; status: string; prompts: number; end_reason: string | null }[] {
  const db = new Database(path.join(own.home, 'holdfast.db'), { readonly: true });
  try {
    return db.prepare('SELECT session, status, prompts, end_reason FROM session_states').all() as ReturnType<
      typeof told
    >;
  } finally {
    db.close();
  }
}

const toldOf = (own: Machine, session: string) => told(own).find((row) => row.session === session);

const hits = (own: Machine, query: string, count: number) =>
  eventually(own, ['search', query], ({ hits }) => hits.length >= count);

const ended = (own: Machine, session: string) =>
  until(() => toldOf(own, session)?.status === 'completed', `the end of ${session}`);

const sentBy = ({ asked }: Session): string => asked.find(({ kind }) => kind === 'main')?.text ?? '';

/** Expects that a hook tells the model of this session `text`. It is the first session to hear it, because the briefing is ready. */
async function hears(text: string, session: Session): Promise<void> {
  expect(session).toMatchObject({ code: 0, stderr: '' });
  for (const { event, outcome } of session.hooks) expect({ event, outcome }).toEqual({ event, outcome: 'success' });
  expect(sentBy(session)).toContain(text);
}

describe.each(clientCases())('Claude Code %s%s', (version) => {
  const test = it.skipIf(isMissing(version));

  async function installed(): Promise<Machine> {
    const own = await machine(version);
    await ask(own.env, 'install', 'claude-code');
    await ask(own.env, 'worker', 'start');
    return own;
  }

  test('is captured as it works, and its next session starts with what happened', async () => {
    const own = await machine(version);
    await ask(own.env, 'install', 'claude-code');
    expect(workerPid(own)).toBeUndefined();
    const script = [bash('echo heard the foghorn'), bash('exit 3'), { text: 'The lighthouse keeper is informed.' }];
    const first = await own.claude('Repair the lighthouse lamp', script, allowed);
    expect(first).toMatchObject({ code: 0, result: 'The lighthouse keeper is informed.', stderr: '' });
    expect(first.hooks.map(({ event }) => event)).toEqual(['SessionStart']);
    for (const { event, outcome } of first.hooks) expect({ event, outcome }).toEqual({ event, outcome: 'success' });
    await until(() => workerPid(own) !== undefined, 'the worker, which the first hook has started');

    const { hits: found } = await hits(own, 'lighthouse', 2);
    expect(new Set(found.map((hit: { role: string }) => hit.role))).toEqual(new Set(['assistant', 'user']));
    await ended(own, first.id);
    expect(toldOf(own, first.id)).toMatchObject({ prompts: 1, end_reason: 'other' });
    const { toolUses } = (await ask(own.env, 'doctor')).counts;
    expect(toolUses).toBe(2);

    await prepared(own, 'Ended: The lighthouse keeper is informed.');
    const text = preparedFor(own);
    const second = await own.claude('And now?', [{ text: 'Nothing.' }]);
    await hears('Repair the lighthouse lamp', second);
    // The exact text of the briefing is on record.
    await eventually(own, ['briefing', '--given', second.id], ({ given }) => given?.length === 1);
    const { given } = await ask(own.env, 'briefing', '--given', second.id);
    expect(given).toMatchObject([{ session: second.id, source: 'startup', project: 'project', text }]);
    // The briefing is not imported as something new that was said.
    await eventually(own, ['search', 'And now'], ({ hits: all }) => all.length >= 1);
    expect((await ask(own.env, 'search', 'lighthouse')).hits).toHaveLength(found.length);
    const status = await ask(own.env, 'status');
    expect(status).toMatchObject({ ok: true });
    expect(status.lastReport).toBeDefined();
  });

  test('is told on a prompt what the past knows about it, if the person turned that on', async () => {
    const own = await installed();
    const question = 'Why does the espresso grinder jam when humidity rises';
    const first = await own.claude(question, [{ text: 'Dried.' }]);
    await ended(own, first.id);
    await hits(own, 'espresso', 1);
    const again = () => own.claude(`${question}, again`, [{ text: 'Dried.' }]);
    const recalled = 'From earlier sessions in this project';
    expect(sentBy(await again())).not.toContain(recalled);
    await ask(own.env, 'config', 'set', 'recallOnPrompt', 'true');
    await ask(own.env, 'repair');
    await hears(recalled, await again());
  });

  test('continues the same session when resumed, and is not doubled when forked', async () => {
    const own = await installed();
    const first = await own.claude('Count the herring gulls', [{ text: 'Eleven.' }]);
    const again = await own.claude('Count the puffins', [{ text: 'Four.' }], ['--resume', first.id]);
    expect(again.id).toBe(first.id);
    await hits(own, 'puffins', 1);
    await ended(own, first.id);
    await until(() => toldOf(own, first.id)?.prompts === 2);
    expect((await ask(own.env, 'sessions')).sessions).toHaveLength(1);

    const fork = await own.claude('Count the eiders', [{ text: 'None.' }], ['--resume', first.id, '--fork-session']);
    expect(fork.id).not.toBe(first.id);
    await hits(own, 'eiders', 1);
    expect((await ask(own.env, 'sessions')).sessions).toHaveLength(2);
    expect((await ask(own.env, 'search', 'gulls')).hits).toHaveLength(1);
    expect((await ask(own.env, 'search', 'puffins')).hits).toHaveLength(1);
    await until(() => toldOf(own, fork.id)?.prompts === 1, 'the prompt of the fork');
  });

  test('tells which work a subagent did', async () => {
    const own = await installed();
    const inner = `Sound the depth MOCK:${JSON.stringify([bash('echo nine fathoms'), { text: 'Nine fathoms deep.' }])}`;
    const agent = { tool: 'Agent', input: { description: 'depth', prompt: inner, subagent_type: 'general-purpose' } };
    const session = await own.claude('Find an anchorage', [agent, { text: 'Anchored.' }], allowed);
    expect(session).toMatchObject({ code: 0, stderr: '' });
    await eventually(own, ['doctor'], ({ counts }) => counts.subagentEntries >= 2);
    const { sessions } = await ask(own.env, 'sessions');
    expect(sessions.map(({ id }: { id: string }) => id)).toEqual([session.id]);
    await ended(own, session.id);
    // The subagent's prompt comes from the machine, and so does the note that the subagent is done.
    await until(() => (toldOf(own, session.id)?.prompts ?? 0) > 0, 'the prompt');
    expect(toldOf(own, session.id)?.prompts).toBe(1);
  });

  test('is compacted once in effect, and briefed again', async () => {
    const own = await installed();
    const earlier = await own.claude('Paint the hull red', [{ text: 'Painted.' }]);
    await ended(own, earlier.id);
    const script = [bash('echo one'), bash('echo two'), bash('echo three'), { text: 'Knots are tied.' }];
    const session = await own.claude('Tie the bowline', script, allowed);
    await hits(own, 'bowline', 1);
    const said = () => ask(own.env, 'search', '"bowline"', '--role', 'user');
    const before = await said();
    const compacted = await own.run(['/compact', '--resume', session.id]);
    expect(compacted).toMatchObject({ code: 0, stderr: '' });
    expect(compacted.asked.map(({ kind }) => kind)).toContain('compact');
    await until(() => toldOf(own, session.id)?.end_reason === 'other');
    await prepared(own, 'This session so far\n- Asked first: Tie the bowline', session.id);
    const untied = await own.claude('Untie it', [{ text: 'Untied.' }], ['--resume', session.id]);
    await hears('Paint the hull red', untied);
    expect(sentBy(untied)).toContain('This session so far');
    await hits(own, 'untie', 1);
    expect((await said()).hits.length).toBe(before.hits.length);
    expect((await ask(own.env, 'sessions')).sessions).toHaveLength(2);
    // What the person typed: two prompts and the command between them.
    await until(() => toldOf(own, session.id)?.prompts === 3, 'each prompt once');
  });

  test('starts a new session with /clear, and both sessions are known', async () => {
    const own = await installed();
    const isBriefed = () => own.mock.asked.findLast(({ kind }) => kind === 'main')?.text.includes('Mend the net');
    const prompts = [
      `Mend the net MOCK:${JSON.stringify([{ text: 'Mended.' }])}`,
      '/clear',
      `Dry it MOCK:${JSON.stringify([{ text: 'Dried the net.' }])}`,
    ];
    // A person types slower than this test: the worker has prepared the briefing before the next prompt.
    const ids = await own.talk(prompts, () => prepared(own, 'Mend the net'));
    expect(isBriefed(), 'briefed after the clear').toBe(true);
    expect(ids).toHaveLength(2);
    await until(() => told(own).length === 2 && told(own).every(({ status }) => status === 'completed'));
    expect(
      told(own)
        .map(({ end_reason }) => end_reason)
        .sort(),
    ).toEqual(['clear', 'other']);
    expect((await hits(own, 'net', 2)).hits.length).toBeGreaterThanOrEqual(2);
  });

  test('3. loses nothing when the worker is killed in the middle', async () => {
    const own = await installed();
    const script = [
      bash('echo before the storm'),
      { ...bash('echo in the storm'), held: true },
      bash('echo after'),
      { text: 'Storm weathered.' },
    ];
    const { ended: over } = own.launch('Sail through the storm', script, allowed);
    await until(() => own.mock.asked.filter(({ kind }) => kind === 'main').length >= 2);
    await until(() => told(own).length === 1, 'the session');
    await until(() => readdirSync(path.join(own.home, 'spool')).length === 0, 'an empty spool');
    process.kill(workerPid(own) as number, 'SIGKILL');
    await until(() => workerPid(own) === undefined, 'the end of the worker');
    own.mock.go();
    const session = await over;
    expect(session).toMatchObject({ code: 0, result: 'Storm weathered.', stderr: '' });
    expect(workerPid(own)).toBeUndefined();
    expect(readdirSync(path.join(own.home, 'spool')).length, 'the end waits').toBe(1);

    // The next session starts the worker, which imports what it missed.
    expect(await own.claude('What happened?', [{ text: 'Much.' }])).toMatchObject({ code: 0, stderr: '' });
    await until(() => workerPid(own) !== undefined, 'the worker');
    await hits(own, 'storm weathered', 1);
    await ended(own, session.id);
    expect(toldOf(own, session.id)).toMatchObject({ end_reason: 'other' });
    const { entries } = await ask(own.env, 'show', session.id);
    const tools = entries.filter((entry: { tools: string[] }) => entry.tools.includes('Bash'));
    expect(tools).toHaveLength(3);
    await until(() => readdirSync(path.join(own.home, 'spool')).length === 0, 'an empty spool');
  });

  test.each([
    ['an own settings file', '{\r\n\t"model": "claude-opus-4-5", "env": { "A": "1" }\r\n}\r\n'],
    ['no settings file', undefined],
  ])('is left as it was found: install, use, uninstall, with %s', async (_, text) => {
    const own = await machine(version);
    if (text !== undefined) {
      mkdirSync(path.dirname(own.settings));
      writeFileSync(own.settings, text);
    }
    await ask(own.env, 'install', 'claude-code');
    expect((await ask(own.env, 'install', 'claude-code')).changed).toBe(false);
    await ask(own.env, 'worker', 'start');
    const session = await own.claude('Weigh anchor', [{ text: 'Aye.' }]);
    expect(session).toMatchObject({ code: 0, stderr: '' });
    await ended(own, session.id);
    await ask(own.env, 'uninstall', 'claude-code');
    if (text === undefined) expect(existsSync(own.settings)).toBe(false);
    else expect(readFileSync(own.settings, 'utf8')).toBe(text);
    const after = await own.claude('Drop anchor', [{ text: 'Aye.' }]);
    expect(after).toMatchObject({ code: 0, stderr: '', hooks: [] });
    expect(after.asked.map(({ text: sent }) => sent).join('')).not.toContain('Weigh anchor');
    expect(readdirSync(path.dirname(own.settings)).filter((name) => /tmp|holdfast/i.test(name))).toEqual([]);
  });

  test('works through a plugin folder as well', async () => {
    const own = await machine(version);
    const folder = path.join(path.dirname(own.project), 'plugin');
    await ask(own.env, 'install', 'claude-code', '--plugin', folder);
    await ask(own.env, 'worker', 'start');
    expect(existsSync(own.settings)).toBe(false);
    const session = await own.claude(
      'Splice the rope',
      [bash('echo rope'), { text: 'Spliced.' }],
      [...allowed, '--plugin-dir', folder],
    );
    expect(session).toMatchObject({ code: 0, stderr: '' });
    await ended(own, session.id);
    // The hook reports the end and the transcript brings the prompts, in either order.
    await until(() => toldOf(own, session.id)?.prompts === 1, 'the prompt');
    expect(toldOf(own, session.id)).toMatchObject({ prompts: 1, end_reason: 'other' });
    await prepared(own, 'Splice the rope');
    await hears('Splice the rope', await own.claude('And?', [{ text: 'Done.' }], ['--plugin-dir', folder]));
    expect((await holdfast(own.env, 'uninstall', 'claude-code')).code).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });
});
