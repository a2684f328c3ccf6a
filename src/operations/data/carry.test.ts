// A session of one agent, continued in another: what it contains, what it leaves out, and how it is recognised.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { answer, later, prompt, toolResult, toolUse, workbench } from '../../../test/contracts/transcript-builder.ts';
import { addSession, openCodeDatabase } from '../../../test/opencode-database.ts';
import type { Agent } from '../../agents/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import { Carrier } from '../../schema/carriers.ts';
import type { Context } from '../operation.ts';
import { carriers } from './carry.ts';
import { resume } from './resume.ts';

const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'}k1L2m3N4o5P6q7R8`;

async function bench() {
  const made = await workbench();
  const cwd = path.join(made.home, 'proj');
  fs.mkdirSync(cwd);
  const here = { cwd };
  made.write('proj/s1.jsonl', [
    prompt('u1', `Which port? The token is ${secret}`, 0, here),
    answer(
      'a1',
      [{ type: 'text', text: 'I will look.' }, toolUse('t1', 'Bash', { command: 'cat notes.txt' })],
      1,
      here,
    ),
    toolResult('r1', 't1', 'no such file', 2, { is_error: true }),
    answer('a2', 'It is 4711.', 3, here),
    prompt('m1', '<task-notification>machine</task-notification>', 4, here),
    prompt('u2', 'Thanks', 5, here),
  ]);
  await made.ingest();
  const context = { store: made.store, config: made.config, clock: () => later } as unknown as Context;
  const carry = async (into: Carrier, session = 's1') => {
    const output = await resume.run(context, { session, print: true, agent: undefined, in: into });
    if ('sessions' in output || output.carried === undefined) throw new Error('it was not carried');
    return {
      ...output,
      carried: output.carried,
      texts: output.carried.files.map((file) => fs.readFileSync(file, 'utf8')).join('\n'),
    };
  };
  return { ...made, context, carry, cwd };
}

it('the agents that take over sessions are those of the table', () => {
  expect(carriers.map(({ name }) => name).sort()).toEqual([...Carrier.options].sort());
});

it.each(Carrier.options.filter((name) => name !== 'claude-code'))(
  'into %s: messages, tools as text, no secrets, nothing of the machine',
  async (into) => {
    const { carry, cwd } = await bench();
    const { texts, command, folder, carried } = await carry(into);
    expect(folder).toBe(cwd);
    expect(command.join(' ')).toContain(carried.session);
    for (const words of [
      'Which port?',
      'I will look.',
      '[Used Bash (failed): cat notes.txt]',
      'no such file',
      'It is 4711.',
      'Thanks',
    ])
      expect(texts).toContain(words);
    expect(texts).not.toContain(secret);
    expect(texts).not.toContain('task-notification');
    for (const file of carried.files) expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  },
);

it('carried turns are not counted twice, and later turns are linked to their origin', async () => {
  const { carry, ingest, store } = await bench();
  const before = await store.entries.counts();
  const { carried } = await carry('codex');
  expect(await ingest()).toMatchObject({ problems: [], entries: { added: 0 } });
  expect(await store.entries.counts()).toEqual({ ...before, files: before.files + 1 });
  const timestamp = new Date(later + 60_000).toISOString();
  const said = { type: 'event_msg', payload: { type: 'user_message', message: 'Go on in Codex' }, timestamp };
  fs.appendFileSync(carried.files[0] ?? '', `${JSON.stringify(said)}\n`);
  await ingest();
  expect((await store.entries.transcript('codex', carried.session)).map(({ text }) => text)).toEqual([
    'Go on in Codex',
  ]);
  expect((await store.sessions.find(carried.session))[0]).toMatchObject({ agent: 'codex', forkOf: 's1' });
});

it('the end of an answer that is too long is carried over, after the prompt that asked for it', async () => {
  const { write, ingest, carry, cwd } = await bench();
  const here = { cwd, sessionId: 's2' };
  const work = Array.from({ length: 60 }, (_, i) => answer(`w${i}`, `step ${i}. ${'done '.repeat(1000)}`, i + 2, here));
  write('proj/s2.jsonl', [prompt('v1', 'Do it all', 0, here), ...work]);
  await ingest();
  const { texts } = await carry('codex', 's2');
  for (const words of ['Do it all', 'step 59.', 'Earlier turns were left out.']) expect(texts).toContain(words);
  expect(texts).not.toContain('step 3.');
});

it('the beginning of a prompt that is too long is carried over', async () => {
  const { write, ingest, carry, cwd } = await bench();
  const here = { cwd, sessionId: 's2' };
  write('proj/s2.jsonl', [
    prompt('v1', `Look at this log: ${'line '.repeat(60_000)}`, 0, here),
    answer('b1', 'I see.', 1, here),
  ]);
  await ingest();
  const { texts } = await carry('codex', 's2');
  for (const words of ['Look at this log', 'I see.', 'Earlier turns were left out.']) expect(texts).toContain(words);
});

it('a session without prompts continues after words of ours', async () => {
  const { write, ingest, carry, cwd } = await bench();
  const here = { cwd, sessionId: 's2' };
  write('proj/s2.jsonl', [answer('b1', [toolUse('t9', 'Bash', { command: 'make all' })], 0, here)]);
  await ingest();
  const { texts } = await carry('codex', 's2');
  for (const words of ['Holdfast: no prompt of this session was stored', 'make all']) expect(texts).toContain(words);
  expect(await ingest()).toMatchObject({ problems: [], entries: { added: 0 } });
});

it('a session of OpenCode is carried over with the model that was used last, and is imported first', async () => {
  const { carry, config } = await bench();
  const db = openCodeDatabase(path.join(config.watchPath(agentNamed('opencode') as Agent), 'opencode.db'));
  const data = JSON.stringify({ role: 'user', model: { providerID: 'mock', modelID: 'mock-model' } });
  db.prepare("INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('m', 's', 1, 1, ?)").run(
    data,
  );
  db.close();
  const { before, carried, texts } = await carry('opencode');
  expect(before).toEqual(['opencode', 'import', carried.files[0]]);
  expect(texts).toContain('"modelID":"mock-model"');
});

it('a session that another agent started continues in Claude Code', async () => {
  const { context, carry, ingest, store, root } = await bench();
  const { carried } = await carry('codex');
  const timestamp = new Date(later + 60_000).toISOString();
  const said = { type: 'event_msg', payload: { type: 'user_message', message: 'Go on in Codex' }, timestamp };
  fs.appendFileSync(carried.files[0] ?? '', `${JSON.stringify(said)}\n`);
  await ingest();
  const output = await resume.run(
    { ...context, clock: () => later + 120_000 },
    { session: carried.session, print: true, agent: undefined, in: 'claude-code' },
  );
  if ('sessions' in output || output.carried === undefined) throw new Error('it was not carried');
  expect(output.carried.files[0]).toContain(root);
  await ingest();
  expect((await store.sessions.find(output.carried.session)).length).toBe(0);
});

it('a session that OpenCode has deleted continues there from a copy, or in another agent', async () => {
  const { context, config, ingest } = await bench();
  const db = openCodeDatabase(path.join(config.watchPath(agentNamed('opencode') as Agent), 'opencode.db'));
  addSession(db, 'ses_a', [{ prompt: 'Which port?', answer: 'It is 4711.' }]);
  await ingest();
  const resumed = (into?: Carrier) =>
    resume.run(context, { session: 'ses_a', print: true, agent: undefined, in: into });
  expect(await resumed()).toMatchObject({ command: ['opencode', '-s', 'ses_a'] });
  for (const table of ['session', 'message', 'part']) db.exec(`DELETE FROM ${table}`);
  const again = await resumed();
  if ('sessions' in again || again.carried === undefined) throw new Error('it was not carried');
  expect(again).toMatchObject({ before: ['opencode', 'import', again.carried.files[0]] });
  expect(again.command).toEqual(['opencode', '-s', again.carried.session]);
  expect(fs.readFileSync(again.carried.files[0] ?? '', 'utf8')).toContain('It is 4711.');
  expect(await resumed('claude-code')).toMatchObject({ carried: { agent: 'claude-code' } });
  db.close();
});

it('a session that Kilo has deleted is not resumed there, because Kilo takes no copies, but in another agent', async () => {
  const { context, config, ingest } = await bench();
  const db = openCodeDatabase(path.join(config.watchPath(agentNamed('kilo') as Agent), 'kilo.db'));
  addSession(db, 'ses_a', [{ prompt: 'Which port?', answer: 'It is 4711.' }]);
  await ingest();
  for (const table of ['session', 'message', 'part']) db.exec(`DELETE FROM ${table}`);
  await expect(
    resume.run(context, { session: 'ses_a', print: true, agent: undefined, in: undefined }),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('Kilo no longer has session ses_a'),
    hint: expect.stringContaining('holdfast resume ses_a --in claude-code'),
  });
  db.close();
});

it('its own agent resumes it as before, and an agent that cannot continue sessions is refused', async () => {
  const { context } = await bench();
  const output = await resume.run(context, { session: 's1', print: true, agent: undefined, in: 'claude-code' });
  expect(output).toMatchObject({ command: ['claude', '--resume', 's1'] });
  expect(resume.input.safeParse({ session: 's1', in: 'goose' }).success).toBe(false);
});

it.each(['copilot', 'gemini', 'qwen', 'droid', 'codex'] as const)(
  '%s: its reader finds nothing new in the carried turns',
  async (into) => {
    const { carry, ingest, store } = await bench();
    const before = await store.entries.counts();
    const { carried } = await carry(into);
    expect(await ingest()).toMatchObject({ problems: [], entries: { added: 0 } });
    expect((await store.entries.counts()).entries).toBe(before.entries);
    expect(await store.sessions.find(carried.session)).toEqual([]);
  },
);

it('Droid: a fork of a carried session contains only what is new, and is linked to its origin', async () => {
  const { carry, ingest, store } = await bench();
  const { carried } = await carry('droid');
  const [file = ''] = carried.files;
  const [, ...copied] = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  const own = '00000000-0000-4000-8000-000000000009';
  const head = {
    type: 'session_start',
    id: own,
    title: 'x',
    version: 2,
    cwd: '/home/dev/proj',
    parent: carried.session,
  };
  const message = { role: 'user', content: [{ type: 'text', text: 'Go on in Droid' }] };
  const said = { type: 'message', id: 'n1', timestamp: new Date(later + 60_000).toISOString(), message };
  fs.writeFileSync(
    path.join(path.dirname(file), `${own}.jsonl`),
    `${[JSON.stringify(head), ...copied, JSON.stringify(said)].join('\n')}\n`,
  );
  await ingest();
  expect((await store.entries.transcript('droid', own)).map(({ text }) => text)).toEqual(['Go on in Droid']);
  expect((await store.sessions.find(own))[0]).toMatchObject({ forkOf: 's1' });
});
