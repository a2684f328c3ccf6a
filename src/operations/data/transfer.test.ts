import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addSession, claudeMemDatabase } from '../../../test/claude-mem-fixture.ts';
import { demoMemory, emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { distillAll } from '../../../test/distilled.ts';
import { expectSameRows, rowsOf } from '../../../test/e2e/rows.ts';
import { planningWith, threeAttempts } from '../../../test/job-rules.ts';
import { apply, fact, filesOf, folderOf } from '../../../test/memory-stand.ts';
import type { PastSummary, Summary } from '../../schema/summary.ts';
import { rememberThis } from '../memory/memory-change.ts';
import { exportAll } from './export.ts';
import { forget } from './forget.ts';
import { importAll } from './import.ts';

/** Without what differs between machines: paths of files, and stamps of page files. */
const own = {
  without: ['memory_pages.stamp', 'memory_pages.version', 'groups.epoch'],
};
const rows = ({ config }: Memory) => rowsOf(config.databasePath, own);

async function exported(memory: Memory, more: { project?: string; since?: string } = {}): Promise<string> {
  const file = path.join(memory.home, `export-${fs.readdirSync(memory.home).length}.jsonl`);
  await exportAll.run(memory.context, { file, ...more });
  return file;
}
const take = (memory: Memory, file: string) => importAll.run(memory.context, { file });
const linesOf = (file: string) => fs.readFileSync(file, 'utf8').trimEnd().split('\n');

const secret = `ghp_${'0123456789aBcDeFgHiJ'.repeat(2).slice(0, 36)}`;

/** Gives a session of several prompts a summary of its first turn, beside the last one. */
async function withPast(memory: Memory, title: string) {
  const { store } = memory.context;
  const many = (await store.distilled.summaries({})).filter(({ prompts }) => prompts > 1);
  const { id: _, project: __, ...last } = many.at(-1) as Summary;
  const row = { ...last, is: 'summary' } as const;
  await store.hub.replaceRows([{ ...row, prompts: 1, title }]);
  await store.hub.replaceRows([row]);
  return { agent: last.agent, session: last.session };
}

/** The sample, with something of every kind. */
async function richMemory(): Promise<Memory> {
  const memory = await demoMemory();
  const { store } = memory.context;
  await distillAll(store);
  await withPast(memory, 'After the first turn');
  const [session] = await store.sessions.list({ agent: 'claude-code' });
  const [entry] = await store.entries.transcript('claude-code', session?.id as string);
  await store.pins.set({ kind: 'session', id: session?.id as string, agent: 'claude-code' }, 'pinned', 1);
  const given = {
    agent: 'claude-code',
    session: session?.id as string,
    project: 'courier',
    source: 'startup',
  } as const;
  await store.briefings.save({ ...given, at: 5, text: 'What was given' });
  await store.sessions.note({
    agent: 'claude-code',
    session: session?.id as string,
    at: 7,
    event: 'end',
    reason: 'exit',
  });
  await store.pauses.start({ at: 10 });
  await store.pauses.end({ at: 20 });
  await store.projects.link({ from: '/old/place', to: '/new/place' }, []);
  for (const told of (await store.conversations.list({})).slice(0, 3))
    await apply(memory, told, fact('port', `The port is ${told.entries}`));
  await rememberThis.run(memory.context, { text: 'Deploys happen on Tuesdays', key: 'deploy day' });
  await store.jobs.plan(Date.parse('2026-12-01'), planningWith(1));
  const jobs = await store.jobs.claim({
    claimant: 'c',
    now: Date.parse('2026-12-01'),
    leaseMs: 1e6,
    ...threeAttempts,
    limit: 1,
  });
  await store.jobs.finish(
    'c',
    jobs.map(({ id }) => ({ id, by: 'offline', tokens: 0, kind: 'observe', observation: undefined })),
    1,
  );
  await store.groups.create('tide', 3);
  await store.groups.create('reef', 4);
  for (const id of ['g-1', 'g-2']) {
    const key = { agent: 'claude-code', session: id } as const;
    await store.groups.setPointer('tide', { ...key, resumeAt: 'e1' }, { at: 5 });
    if (id === 'g-1')
      await store.groups.leaveSession('tide', key, { leaving: { ...key, name: 'One', createdAt: 5 }, at: 6 });
  }
  const daily = { group: 'tide', kind: 'cron', when: '0 9 * * *', timeZone: 'UTC', context: 'group' } as const;
  await store.tasks.add({ ...daily, prompt: 'Read the gauge', next: 90 }, 8);
  const paused = await store.tasks.add({ ...daily, prompt: 'Read the chart', next: 90 }, 8);
  await store.tasks.setState(paused?.id as number, 'paused', undefined);
  await store.messages.add('tide', { text: 'How high is it?', from: 'Ada' }, 9);
  await store.messages.add('tide', { text: 'And now?' }, 9);
  await forget.run(memory.context, { id: entry?.id as string, dryRun: false, yes: true });
  return memory;
}

describe('export and import', () => {
  it('bring everything into an empty memory: the same rows, the same pages, the same jobs done', async () => {
    const memory = await richMemory();
    const file = await exported(memory);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const other = await emptyMemory();
    const report = await take(other, file);
    expect(report.entries).toBe((await memory.context.store.entries.counts()).entries);
    // Jobs that were queued there are planned here.
    await other.context.store.jobs.plan(Date.parse('2026-12-01'), planningWith(1));
    expectSameRows(rows(other), rows(memory), 'imported');
    expect(filesOf(folderOf(other))).toEqual(filesOf(folderOf(memory)));
    const done = async ({ context: { store } }: Memory) =>
      (await store.jobs.list({ statuses: ['done'] })).map(({ session, kind, subject, by }) => [
        session,
        kind,
        subject,
        by,
      ]);
    expect(await done(other)).toEqual(await done(memory));
    expect(await done(other)).toHaveLength(1);
    // Its own export is the same again, except for the order of files and the time of the export.
    expect(
      linesOf(await exported(other))
        .slice(1)
        .sort(),
    ).toEqual(linesOf(file).slice(1).sort());
  });

  it('do not repeat a message that was answered here since, or reset a task that has run', async () => {
    const memory = await richMemory();
    const { store } = memory.context;
    const file = await exported(memory);
    const run = await store.runs.begin({ group: 'tide', epoch: 1 }, 10);
    const answers = await store.messages.hand(
      run,
      (await store.messages.waiting('tide')).map(({ id }) => id),
    );
    const handed = await exported(memory);
    await store.messages.putOut({ group: 'tide', kind: 'answer', text: 'High.', answers, run }, 11);
    const [task] = await store.tasks.list('tide');
    await store.tasks.setState(task?.id as number, 'paused', undefined);
    const before = rows(memory);
    for (const older of [file, handed]) expect((await take(memory, older)).rows).toMatchObject({ message: 0, task: 0 });
    expectSameRows(rows(memory), before, 'answered');
    const other = await emptyMemory();
    await take(other, handed);
    expect((await other.context.store.messages.waiting('tide')).map(({ text }) => text)).toEqual([
      'How high is it?',
      'And now?',
    ]);
  });

  it('give another group of the same name nothing that was for its namesake', async () => {
    const file = await exported(await richMemory());
    const other = await emptyMemory();
    await other.context.store.groups.create('tide', 77);
    expect((await take(other, file)).rows).toMatchObject({ message: 0, task: 0 });
    expect(await other.context.store.tasks.list('tide')).toEqual([]);
    expect(await other.context.store.messages.waiting('tide')).toEqual([]);
  });

  it('double nothing: when run twice, into a partial copy, and when the transcripts are read later', async () => {
    const memory = await demoMemory();
    const file = await exported(memory);
    const part = await exported(memory, { project: 'turnstile' });
    const other = await emptyMemory();
    await take(other, part);
    expect((await other.context.store.sessions.list({})).every(({ project }) => project === 'turnstile')).toBe(true);
    await take(other, file);
    const twice = rows(other);
    expect(await take(other, file)).toMatchObject({ transcripts: 0, entries: 0 });
    expectSameRows(rows(other), twice, 'imported again');
    const { ingest } = await import('../../capture/ingest.ts');
    await ingest(other.context, { dir: new URL('../../../demo', import.meta.url).pathname });
    for (const table of ['entries', 'sessions', 'tool_uses', 'search index'])
      expect(rows(other).get(table)?.length, table).toBe(rows(memory).get(table)?.length);
    const titles = async ({ context }: Memory) =>
      (await context.store.sessions.list({})).map(({ id, title, entries }) => [id, title, entries]);
    expect(await titles(other)).toEqual(await titles(memory));
  });

  it('continue a transcript that was read less far here, and let it grow', async () => {
    const memory = await emptyMemory();
    const said = [
      { by: 'user' as const, text: 'One' },
      { by: 'assistant' as const, text: 'Two' },
    ];
    await tell(memory, 's', '/home/dev/tide', '2026-10-01T10:00:00Z', said);
    const early = await exported(memory);
    const more = [...said, { by: 'user' as const, text: 'Three' }, { by: 'assistant' as const, text: 'Four' }];
    await tell(memory, 's', '/home/dev/tide', '2026-10-01T10:00:00Z', more);
    const late = await exported(memory);
    const other = await emptyMemory();
    await take(other, early);
    expect(await take(other, late)).toMatchObject({ entries: 2 });
    expect(await take(other, early)).toMatchObject({ entries: 0 });
    expectSameRows(rows(other), rows(memory), 'grown');
  });

  it('carry along what was forgotten: it is forgotten there too, and an older export does not bring it back', async () => {
    const memory = await demoMemory();
    const before = await exported(memory);
    const [session] = await memory.context.store.sessions.list({});
    const other = await emptyMemory();
    await take(other, before);
    await forget.run(memory.context, { id: session?.id as string, dryRun: false, yes: true });
    await take(memory, before);
    const ids = async ({ context }: Memory) => (await context.store.sessions.list({})).map(({ id }) => id);
    expect(await ids(memory)).not.toContain(session?.id);
    await take(other, await exported(memory));
    expect(await ids(other)).toEqual(await ids(memory));
  });

  it('of an older version have outcome and commits only in the text: the import finds them there', async () => {
    const memory = await demoMemory();
    await distillAll(memory.context.store);
    const key = await withPast(memory, 'After the first turn');
    const [{ id: _, project: __, ...one }] = (await memory.context.store.distilled.summaries({})) as [Summary];
    const parts = { outcome: 'Mended.', commits: ['Mend the queue', 'Test it'] };
    const completed = 'Mended. Committed: “Mend the queue” and “Test it”.';
    await memory.context.store.hub.replaceRows([{ is: 'summary', ...one, ...parts, completed }]);
    const file = await exported(memory);
    const older = linesOf(file).map((line) => {
      const { outcome: _, commits: __, ...row } = JSON.parse(line);
      const past = row.past?.map(({ outcome: _, commits: __, ...rest }: PastSummary) => rest);
      return JSON.stringify(past === undefined ? row : { ...row, past });
    });
    fs.writeFileSync(file, `${older.join('\n')}\n`);
    const other = await emptyMemory();
    await take(other, file);
    const said = async ({ context }: Memory) =>
      (await context.store.distilled.summaries({})).map(({ session, outcome, commits }) => [session, outcome, commits]);
    expect(await said(other)).toEqual(await said(memory));
    expect(await said(other)).toContainEqual([one.session, parts.outcome, parts.commits]);
    expect(await other.context.store.distilled.pastSummaries(key)).toEqual(
      await memory.context.store.distilled.pastSummaries(key),
    );
  });

  it('bring the summaries of earlier turns along, without secrets, and what is forgotten takes them with it', async () => {
    const memory = await demoMemory();
    await distillAll(memory.context.store);
    const key = await withPast(memory, `Use ${secret}`);
    const file = await exported(memory);
    const other = await emptyMemory();
    await take(other, file);
    const { store } = other.context;
    const [past, ...more] = await store.distilled.pastSummaries(key);
    expect(more).toEqual([]);
    expect(past).toMatchObject({ ...key, prompts: 1, title: expect.stringMatching(/^Use /) });
    expect(past?.title).not.toContain(secret);
    await forget.run(other.context, { id: key.session, dryRun: false, yes: true });
    expect(rows(other).get('past_summaries')).toEqual([]);
    await take(other, file);
    expect(await store.distilled.pastSummaries(key)).toEqual([]);
  });

  it('without summaries of earlier turns, as older versions wrote them, are taken too', async () => {
    const memory = await richMemory();
    const file = await exported(memory);
    const older = linesOf(file).map((line) => {
      const { past: _, ...row } = JSON.parse(line) as Record<string, unknown>;
      return JSON.stringify(row);
    });
    expect(older).not.toEqual(linesOf(file));
    fs.writeFileSync(file, `${older.join('\n')}\n`);
    const other = await emptyMemory();
    await take(other, file);
    const count = async ({ context: { store } }: Memory) => (await store.distilled.counts()).summaries;
    expect(await count(other)).toBe(await count(memory));
  });

  it('keep out secrets that an older version let through', async () => {
    const memory = await demoMemory();
    const file = await exported(memory);
    const [header = '', ...rest] = linesOf(file);
    const leaky = rest.map((line) => line.replace(/"text":"/, `"text":"${secret} `));
    fs.writeFileSync(file, `${[header, ...leaky].join('\n')}\n`);
    const other = await emptyMemory();
    await take(other, file);
    expect(JSON.stringify([...rows(other).values()])).not.toContain(secret);
  });

  it('of version 1, whose transcripts have the older form of the reader’s state, bring the same rows', async () => {
    const memory = await demoMemory();
    const file = await exported(memory);
    const older = linesOf(file).map((text) => {
      const line = JSON.parse(text);
      if (line.is === 'header') return JSON.stringify({ ...line, version: 1 });
      if (line.is !== 'file') return text;
      const { session, lineAt, lastEntry, lastAt, folderOf, folder, title, titleBy } = line.state.capture;
      const capture = { '@session': session, '@line': lineAt, '@entry': lastEntry, '@at': lastAt, '@of': folderOf };
      const names = { '@folder': folder, '@title': title, '@titleBy': titleBy };
      return JSON.stringify({ ...line, state: { ...line.state.agent, ...capture, ...names } });
    });
    const other = await emptyMemory();
    const [old, fresh] = [path.join(memory.home, 'old.jsonl'), await emptyMemory()];
    fs.writeFileSync(old, `${older.join('\n')}\n`);
    await take(other, old);
    await take(fresh, file);
    const states = async ({ context: { store } }: Memory) =>
      (await store.transcripts.states()).map(({ key, state: { agent, capture } }) => ({
        key,
        agent,
        title: capture.title,
      }));
    expect(await states(other)).toEqual(await states(fresh));
    expect((await states(other)).length).toBeGreaterThan(3);
  });

  it('bad lines are named by their numbers, and nothing is changed', async () => {
    const memory = await demoMemory();
    const file = await exported(memory);
    const lines = linesOf(file);
    const other = await emptyMemory();
    const refused = async (changed: readonly string[], message: RegExp) => {
      fs.writeFileSync(file, `${changed.join('\n')}\n`);
      await expect(take(other, file)).rejects.toMatchObject({
        code: 'UNREADABLE',
        message: expect.stringMatching(message),
      });
      expect((await other.context.store.entries.counts()).files).toBe(0);
    };
    await refused(lines.with(3, '{"is":"entry","uuid":'), /line 4: not JSON/);
    await refused(lines.with(3, '{"is":"nonsense"}'), /line 4: /);
    await refused(lines.with(5, (lines[5] as string).replace(/"pos":\d+/, '"pos":1.5')), /line 6: .*/);
    await refused(lines.slice(0, -3), /is incomplete: it holds \d+ of \d+/);
    await refused(lines.with(0, (lines[0] as string).replace(/"version":\d+/, '"version":99')), /newer version/);
    await refused(['{"hello":1}'], /not an export of Holdfast/);
    await refused([''], /not an export of Holdfast/);
    await expect(take(other, '/nowhere/at.all')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('never overwrite a file, and leave nothing behind when stopped', async () => {
    const memory = await demoMemory();
    const file = await exported(memory);
    await expect(exportAll.run(memory.context, { file })).rejects.toMatchObject({ code: 'CONFLICT' });
    const stopped = path.join(memory.home, 'stopped.jsonl');
    const signal = AbortSignal.abort();
    await expect(exportAll.run({ ...memory.context, signal }, { file: stopped })).rejects.toThrow();
    expect(fs.readdirSync(memory.home).filter((name) => name.startsWith('stopped'))).toEqual([]);
    const mistyped = exportAll.run(memory.context, { file: stopped, project: 'currier' });
    await expect(mistyped).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('currier') });
    expect(fs.existsSync(stopped)).toBe(false);
    const said: string[] = [];
    const out = async (text: string) => void said.push(text);
    await exportAll.run({ ...memory.context, out }, { file: '-' });
    expect(said.join('').split('\n').slice(1)).toEqual(fs.readFileSync(file, 'utf8').split('\n').slice(1));
  });
});

describe('import --from claude-mem', () => {
  const told = {
    session: 'aaaa-1',
    project: 'courier',
    at: '2026-08-01T10:00:00.000Z',
    prompts: ['Fix the webhook retries', 'Now write the tests'],
    observations: [
      { prompt: 1, type: 'bugfix', title: 'Retries were lost at a restart', facts: ['The queue was in memory'] },
      { prompt: 1, type: 'discovery', title: 'The queue lives in Redis now' },
      { prompt: 2, type: 'odd', title: 'Tests for the queue' },
    ],
    summary: { request: 'Fix the webhook retries', completed: 'Retries survive', nextSteps: 'Deploy' },
  };
  const from = (memory: Memory, file: string) => importAll.run(memory.context, { file, from: 'claude-mem' });

  it.each([{ old: false }, { old: true }])(
    'takes sessions, prompts, observations and summaries over, once ($old)',
    async ({ old }) => {
      const memory = await emptyMemory();
      const { store } = memory.context;
      const file = path.join(memory.home, 'claude-mem.db');
      const db = claudeMemDatabase(file, { old });
      addSession(db, told);
      const summary = { request: 'Rename the service', completed: 'Renamed', nextSteps: '' };
      addSession(db, { session: 'bbbb-2', project: 'courier', at: '2026-08-02T10:00:00.000Z', summary });
      if (!old)
        addSession(db, {
          session: 'cccc-3',
          project: 'x',
          at: '2026-08-02T10:00:00.000Z',
          source: 'codex',
          prompts: ['Hi'],
        });
      db.close();
      const report = await from(memory, file);
      expect(report.claudeMem).toMatchObject({ sessions: 2, known: 0, prompts: 2, observations: 3, summaries: 2 });
      expect(report.claudeMem?.left).toEqual(
        old ? [] : ['1 sessions of other agents than Claude Code', '1 rules of its own (directives)'],
      );
      expect((await store.sessions.list({})).map(({ id, project, title }) => [id, project, title])).toEqual([
        ['bbbb-2', 'courier', 'Rename the service'],
        ['aaaa-1', 'courier', 'Fix the webhook retries'],
      ]);
      const observations = await store.distilled.observations({ session: 'aaaa-1' });
      expect(observations.map(({ prompt, type, title, by, facts }) => [prompt, type, title, by, facts])).toEqual([
        [2, 'change', 'Tests for the queue', 'claude-mem', []],
        [
          1,
          'bugfix',
          'Retries were lost at a restart',
          'claude-mem',
          ['The queue was in memory', 'The queue lives in Redis now'],
        ],
      ]);
      expect((await store.distilled.summaries({})).map(({ session, completed }) => [session, completed])).toEqual([
        ['bbbb-2', 'Renamed'],
        ['aaaa-1', 'Retries survive'],
      ]);
      // Nothing is left to distil, and repeating everything changes nothing.
      expect(
        await store.jobs.list({
          statuses: ['ready'],
          kind: 'observe',
          session: { agent: 'claude-code', session: 'aaaa-1' },
        }),
      ).toEqual([]);
      const before = rows(memory);
      expect(await from(memory, file)).toMatchObject({ entries: 0 });
      expectSameRows(rows(memory), before, 'again');
    },
  );

  it('adds only the derived rows of a session whose transcript is here', async () => {
    const memory = await emptyMemory();
    const { store } = memory.context;
    await tell(memory, 'aaaa-1', '/home/dev/courier', told.at, [
      { by: 'user', text: 'Fix the webhook retries' },
      { by: 'assistant', text: 'Done.' },
    ]);
    const file = path.join(memory.home, 'claude-mem.db');
    const db = claudeMemDatabase(file);
    addSession(db, told);
    db.close();
    expect((await from(memory, file)).claudeMem).toMatchObject({ known: 1, prompts: 0 });
    expect((await store.entries.transcript('claude-code', 'aaaa-1')).map(({ text }) => text)).toEqual([
      'Fix the webhook retries',
      'Done.',
    ]);
    const [observation] = await store.distilled.observations({ session: 'aaaa-1' });
    expect(observation).toMatchObject({ prompt: 1, by: 'claude-mem', entries: ['aaaa-1-e0'] });
  });

  it('refuses a file that is not a database of claude-mem', async () => {
    const memory = await emptyMemory();
    const text = path.join(memory.home, 'text.db');
    fs.writeFileSync(text, 'hello, this is no database at all '.repeat(50));
    await expect(from(memory, text)).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('no SQLite database'),
    });
    await expect(from(memory, memory.config.databasePath)).rejects.toMatchObject({
      message: expect.stringContaining('sdk_sessions'),
    });
    await expect(from(memory, '/nowhere.db')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
