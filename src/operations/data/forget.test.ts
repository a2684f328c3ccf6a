import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { demoMemory, emptyMemory, type Memory, now, type Said, tell } from '../../../test/demo-memory.ts';
import { distillAll } from '../../../test/distilled.ts';
import { planningWith, threeAttempts } from '../../../test/job-rules.ts';
import { apply, fact } from '../../../test/memory-stand.ts';
import { conversationRules } from '../../capture/conversation-rules.ts';
import { ingest } from '../../capture/ingest.ts';
import { fillVault } from '../../capture/vault/vault.ts';
import { restoreSession } from '../../capture/vault/vault-restore.ts';
import { archiveSession } from '../../sessions/archives/archives.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { operations } from '../index.ts';
import { search } from '../recall/search.ts';
import { forget } from './forget.ts';
import { finishForgetting } from './forget-traces.ts';
import { dropHeld, hearForgotten } from './forgotten-bell.ts';
import { restore } from './restore.ts';

const word = 'quixotoplasm';
const observationOfTurn = {
  ...{ agent: 'claude-code' as const, session: 's-one', at: '2026-10-01T10:10:00.000Z', type: 'change' as const },
  ...{ title: word, subtitle: '', facts: [], narrative: word, concepts: [], filesRead: [], filesModified: [] },
  ...{ tools: [], by: 'offline', tokens: 0 },
};
const ask = (text: string): Said => ({ by: 'user', text });
const say = (text: string, ...uses: NonNullable<Said['uses']>): Said => ({ by: 'assistant', text, uses });
const run = (memory: Memory, id: string, more = {}) =>
  forget.run(memory.context, { id, dryRun: false, yes: true, ...more });

/** Every file below the data folder that contains the word, packed or not. */
function holding(memory: Memory, wanted = word): string[] {
  const home = path.join(memory.home, 'memory');
  return fs
    .readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((file) => fs.statSync(path.join(home, file)).isFile())
    .filter((file) => {
      const bytes = fs.readFileSync(path.join(home, file));
      const text = file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes;
      return text.toString('latin1').toLowerCase().includes(wanted);
    })
    .sort();
}

/** Two sessions of one project. One prompt of the first contains the word, and so does everything derived from it. */
async function fullMemory(): Promise<Memory> {
  const memory = await emptyMemory();
  const { store, config, clock } = memory.context;
  const bash = (command: string) => ({ name: 'Bash', input: { command }, failed: `no ${word} here` });
  await tell(memory, 's-one', '/home/dev/tide', '2026-10-01T10:00:00Z', [
    ask('Build the harbour gate'),
    say('Built the harbour gate.', { name: 'Edit', input: { file_path: '/home/dev/tide/gate.ts' } }),
    ask(`Now store the ${word} password in the harbour table`),
    say('Looking at it.', bash(`grep ${word} harbour.sql`)),
    say('The table is in place, the gate is open.'),
    ask('Thanks. Write the tests for the gate'),
    say('The tests pass.', { name: 'Write', input: { file_path: '/home/dev/tide/gate.test.ts' } }),
  ]);
  await tell(memory, 's-two', '/home/dev/tide', '2026-10-02T10:00:00Z', [ask('Paint the boat'), say('Painted it.')]);
  await distillAll(store);
  await fill(memory);
  await archiveSession({ store, config, clock }, { agent: 'claude-code', session: 's-one' });
  const at = Date.parse('2026-10-03T10:00:00Z');
  const given = { agent: 'claude-code', session: 's-two', project: 'tide', at, source: 'startup' } as const;
  await store.briefings.save({ ...given, text: `Last: the ${word} password` });
  for (const told of await store.conversations.list({}))
    if (told.session === 's-one') await apply(memory, told, fact('password', `The password is ${word}`));
  return memory;
}

/** The clock is earlier than the files. */
const fill = ({ context: { store, config, clock } }: Memory) =>
  fillVault({ store, config, clock }, { quietMs: Number.NEGATIVE_INFINITY });

const entriesOf = async ({ context: { store } }: Memory, session = 's-one') =>
  (await store.entries.transcript('claude-code', session)).map(({ id }) => id);

/** One entry with two tool uses. Only the first one contains the word, in its input and its output. */
async function memoryWithUse(): Promise<Memory> {
  const memory = await emptyMemory();
  await tell(memory, 's-one', '/home/dev/tide', '2026-10-01T10:00:00Z', [
    ask('Look at the harbour gate'),
    say(
      'I look at both.',
      { name: 'Bash', input: { command: `grep ${word} gate.env` }, failed: `TOKEN=${word}` },
      { name: 'Read', input: { file_path: '/home/dev/tide/gate.ts' } },
    ),
    say('The gate is open.'),
  ]);
  await distillAll(memory.context.store);
  await fill(memory);
  return memory;
}

describe('forgetting one tool use', () => {
  it('removes it from every file below the data folder, and its entry and the other use stay', async () => {
    const memory = await memoryWithUse();
    const { store } = memory.context;
    const [first, other] = await store.entries.toolUses(['s-one-e1']);
    expect(holding(memory).length).toBeGreaterThan(1);
    const planned = await run(memory, 's-one-e1', { use: first?.id, dryRun: true });
    expect(planned).toMatchObject({ kind: 'tool use', forgotten: false, removed: { entries: 0, toolUses: 1 } });
    expect(await store.entries.toolUses(['s-one-e1'])).toHaveLength(2);
    expect(await run(memory, 's-one-e1', { use: first?.id })).toMatchObject({ forgotten: true });
    expect(holding(memory)).toEqual([]);
    expect(await entriesOf(memory)).toEqual(['s-one-e0', 's-one-e1', 's-one-e2']);
    expect(await store.entries.toolUses(['s-one-e1'])).toEqual([other]);
    expect((await search.run(memory.context, { ...search.input.parse({ query: word }) })).hits).toEqual([]);
    await distillAll(store);
    expect(holding(memory)).toEqual([]);
    expect(await store.admin.integrity()).toEqual([]);
  });

  it('keeps it away when the transcript is read again, and leaves the rest of the copy usable', async () => {
    const memory = await memoryWithUse();
    const { store } = memory.context;
    const [first, other] = await store.entries.toolUses(['s-one-e1']);
    await run(memory, 's-one-e1', { use: first?.id });
    await ingest(memory.context, { reimport: true });
    await fill(memory);
    expect(await store.entries.toolUses(['s-one-e1'])).toEqual([other]);
    expect(holding(memory)).toEqual([]);
    const copy = path.join(memory.home, 'memory/vault/claude-code/-home-dev-tide/s-one.jsonl.gz');
    const text = zlib.gunzipSync(fs.readFileSync(copy)).toString();
    for (const kept of ['I look at both.', 'gate.ts', 'The gate is open.']) expect(text).toContain(kept);
  });

  it('reaches a store that takes over what was forgotten elsewhere', async () => {
    const [here, elsewhere] = [await memoryWithUse(), await memoryWithUse()];
    const [first] = await here.context.store.entries.toolUses(['s-one-e1']);
    await run(here, 's-one-e1', { use: first?.id });
    const prints = await here.context.store.removal.tombstones();
    const { store } = elsewhere.context;
    await store.removal.takeTombstones(prints, [], {
      rules: conversationRules(elsewhere.context.config.settings),
      now,
    });
    expect(await store.entries.toolUses(['s-one-e1'])).toHaveLength(1);
    await finishForgetting(elsewhere.context);
    expect(holding(elsewhere)).toEqual([]);
  });

  it('refuses a use that the entry does not have, and a session instead of an entry', async () => {
    const memory = await memoryWithUse();
    await expect(run(memory, 's-one-e1', { use: 'nope' })).rejects.toThrow('has no tool use "nope"');
    await expect(run(memory, 's-one', { use: 'nope' })).rejects.toThrow('only an entry has tool uses');
    expect(await memory.context.store.entries.toolUses(['s-one-e1'])).toHaveLength(2);
  });
});

describe('forget', () => {
  it('removes an entry from every file below the data folder, with everything derived from it, and nothing else', async () => {
    const memory = await fullMemory();
    const { context } = memory;
    expect(holding(memory)).toEqual([
      'archives/2026-11-03-build-the-harbour-gate.md',
      'holdfast.db-wal',
      'memory/core/facts.md',
      'vault/claude-code/-home-dev-tide/s-one.jsonl.gz',
    ]);
    const secret = ['s-one-e2', 's-one-e3'];
    const planned = await run(memory, secret[0] as string, { dryRun: true });
    expect(planned).toMatchObject({
      kind: 'entry',
      forgotten: false,
      removed: { entries: 1, summaries: 1, briefings: 1, memories: 1 },
    });
    expect(holding(memory).length).toBeGreaterThan(3);
    const done = await run(memory, secret[0] as string);
    expect(done.removed).toEqual(planned.removed);
    expect(done.files.length).toBe(2);
    expect(done.left).toEqual([expect.stringContaining('s-one.jsonl, the agent')]);
    // The answer also contains the word, in the input and output of its tool.
    expect(holding(memory)).not.toEqual([]);
    await run(memory, secret[1] as string);
    expect(holding(memory)).toEqual([]);
    expect(await entriesOf(memory)).toEqual(['s-one-e0', 's-one-e1', 's-one-e4', 's-one-e5', 's-one-e6']);
    await distillAll(context.store);
    expect((await context.store.distilled.observations({ session: 's-one' })).map(({ prompt }) => prompt)).toEqual([
      2, 1,
    ]);
    expect(holding(memory)).toEqual([]);
    expect(await context.store.admin.integrity()).toEqual([]);
    expect((await search.run(context, { ...search.input.parse({ query: word }) })).hits).toEqual([]);
  });

  it('keeps it from coming back through another scan, a reimport, a fork, a distiller or the vault', async () => {
    const memory = await fullMemory();
    const { store, config, clock } = memory.context;
    await run(memory, 's-one-e2');
    await run(memory, 's-one-e3');
    const before = await entriesOf(memory);
    await ingest(memory.context, {});
    await ingest(memory.context, { reimport: true });
    expect(await entriesOf(memory)).toEqual(before);
    await distillAll(store);
    await fill(memory);
    await archiveSession({ store, config, clock }, { agent: 'claude-code', session: 's-one' });
    expect(holding(memory)).toEqual([]);
    // A fork copies the history under a new session.
    const folder = path.join(memory.home, '.claude/projects/-home-dev-tide');
    const copy = fs
      .readFileSync(path.join(folder, 's-one.jsonl'), 'utf8')
      .replaceAll('"sessionId":"s-one"', '"sessionId":"s-fork"');
    fs.writeFileSync(path.join(folder, 's-fork.jsonl'), copy);
    await ingest(memory.context, {});
    await fill(memory);
    expect(holding(memory)).toEqual([]);
    // What the vault restores is complete except for the removed parts, and brings nothing back either.
    fs.rmSync(path.join(folder, 's-one.jsonl'));
    expect((await restoreSession({ store, config, clock }, 'claude-code', 's-one')).own).toBe('restored');
    expect(fs.readFileSync(path.join(folder, 's-one.jsonl'), 'utf8')).not.toContain(word);
    await ingest(memory.context, { reimport: true });
    expect(await entriesOf(memory)).toEqual(['s-one-e0', 's-one-e1', 's-one-e4', 's-one-e5', 's-one-e6']);
  });

  it('removes a whole session, and does not store its later entries', async () => {
    const memory = await fullMemory();
    const { store } = memory.context;
    const done = await run(memory, 's-one');
    expect(done).toMatchObject({ kind: 'session', removed: { sessions: 1, entries: 7, summaries: 1, memories: 1 } });
    expect(holding(memory)).toEqual([]);
    expect(holding(memory, 'harbour')).toEqual([]);
    await tell(memory, 's-one', '/home/dev/tide', '2026-10-01T10:00:00Z', [
      ask('Build the harbour gate'),
      ask('And on'),
    ]);
    await store.sessions.note({
      agent: 'claude-code',
      session: 's-one',
      at: now,
      event: 'stop',
      lastUserMessage: 'harbour',
    });
    await fill(memory);
    expect(holding(memory, 'harbour')).toEqual([]);
    expect((await store.sessions.list({})).map(({ id }) => id)).toEqual(['s-two']);
    expect((await store.entries.transcript('claude-code', 's-two')).length).toBe(2);
  });

  it('an id of only spaces matches nothing, even if there is a single session', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's-one', '/home/dev/tide', '2026-10-01T10:00:00Z', [ask('Build the gate'), say('Built.')]);
    await expect(run(memory, ' ')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(await entriesOf(memory)).toHaveLength(2);
  });

  it('also removes its entries from the sessions that copied them', async () => {
    const memory = await fullMemory();
    const folder = path.join(memory.home, '.claude/projects/-home-dev-tide');
    const lines = fs
      .readFileSync(path.join(folder, 's-one.jsonl'), 'utf8')
      .replaceAll('"sessionId":"s-one"', '"sessionId":"s-fork"');
    const more = {
      type: 'user',
      uuid: 'fork-e1',
      sessionId: 's-fork',
      cwd: '/home/dev/tide',
      timestamp: '2026-10-05T10:00:00Z',
    };
    fs.writeFileSync(
      path.join(folder, 's-fork.jsonl'),
      `${lines}${JSON.stringify({ ...more, message: { role: 'user', content: 'Go on here' } })}\n`,
    );
    await ingest(memory.context, {});
    await run(memory, 's-one');
    expect(await entriesOf(memory, 's-fork')).toEqual(['fork-e1']);
    expect(holding(memory)).toEqual([]);
  });

  it('removes an observation or a summary for good; its sources stay', async () => {
    const memory = await fullMemory();
    const { store } = memory.context;
    const observation = (await store.distilled.observations({})).find(
      ({ session, prompt }) => session === 's-one' && prompt === 2,
    );
    const done = await run(memory, observation?.id as string);
    expect(done).toMatchObject({ kind: 'observation', removed: { observations: 1, summaries: 1, entries: 0 } });
    await distillAll(store);
    expect((await store.distilled.observations({})).map(({ id }) => id)).not.toContain(observation?.id);
    const [summary] = await store.distilled.summaries({ session: 's-one' });
    await run(memory, summary?.id as string);
    await distillAll(store);
    expect(await store.distilled.summaries({ session: 's-one' })).toEqual([]);
    expect((await entriesOf(memory)).length).toBe(7);
  });

  it('removes page names that quote it, from the index and from the list of changes', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's-one', '/home/dev/tide', '2026-10-01T10:00:00Z', [ask('Hello'), say('Hello.')]);
    await tell(memory, 's-two', '/home/dev/tide', '2026-10-02T10:00:00Z', [ask('Paint the boat'), say('Painted it.')]);
    const at = '2026-10-01T10:00:00.000Z';
    for (const told of await memory.context.store.conversations.list({}))
      await apply(memory, told, {
        insights: [{ at, title: told.session === 's-one' ? `Mind the ${word}` : 'Mind the boat', text: 'It bites.' }],
      });
    expect(holding(memory).length).toBeGreaterThan(1);
    const before = await memory.context.store.changes.last();
    await run(memory, 's-one');
    expect(holding(memory)).toEqual([]);
    const changes = await memory.context.store.changes.after(before, 100);
    expect(
      changes.map(({ kind }) => kind),
      'viewers get an event about the removal',
    ).toContain('gone');
    expect(fs.readdirSync(path.join(memory.context.config.memoryPath, 'insights'))).toHaveLength(1);
    await memory.close();
  });

  it('tells other processes at once, and they release what they hold', async () => {
    const memory = await fullMemory();
    let heard = 0;
    const other = hearForgotten(memory.context.config, () => heard++);
    await run(memory, 's-one');
    await expect.poll(() => heard).toBeGreaterThan(0);
    other.close();
    await dropHeld(memory.context.store);
    await memory.close();
  });

  it('removes a memory from its page and its history', async () => {
    const memory = await fullMemory();
    const [one] = await memory.context.store.memory.list({});
    expect(await run(memory, one?.id as string)).toMatchObject({ kind: 'memory', removed: { memories: 1 } });
    expect(await memory.context.store.memory.list({})).toEqual([]);
    expect(await memory.context.store.briefings.list({ limit: 9 })).toEqual([]);
  });

  it('distils the rest again without it, and drops results that are being made of it at that moment', async () => {
    const memory = await fullMemory();
    const { store, config } = memory.context;
    const claim = { claimant: 'c', leaseMs: 1000, ...threeAttempts, limit: 9, now };
    await store.conversations.markReady(now, { gapMs: 1, minEntries: 1 });
    await store.jobs.plan(now, planningWith(1));
    const ofSession = { session: { agent: 'claude-code' as const, session: 's-one' } };
    const claimed = () => store.jobs.claim({ ...claim, ...ofSession, kind: 'observe' });
    const done = (await claimed()).map(({ id }) => ({
      ...{ id, by: 'offline', tokens: 0, kind: 'observe' as const, observation: undefined },
    }));
    await store.jobs.finish('c', done, now);
    const remembering = await store.jobs.claim({ ...claim, ...ofSession, kind: 'remember' });
    await store.jobs.redo({ ...ofSession, kind: 'observe' }, now);
    const observing = await claimed();
    const [told] = await store.conversations.list({ status: 'processing' });
    expect([remembering.length, observing.length, told?.session]).toEqual([1, 3, 's-one']);
    const { turns = [] } = (await store.entries.turns('claude-code', 's-one')) ?? {};
    await run(memory, 's-one-e2');
    await run(memory, 's-one-e3');

    const late = observing.map(({ id, subject }) => ({
      ...{ id, by: 'offline', tokens: 0, kind: 'observe' as const },
      observation: { ...observationOfTurn, prompt: subject, entries: [turns[subject]?.entries[0]?.id ?? ''] },
    }));
    expect(await store.jobs.finish('c', late, now)).toEqual([]);
    // A conversation that a process is reading is examined again when the lease ends.
    await apply(memory, told as NonNullable<typeof told>, fact('password', `The password is ${word}`));
    expect(holding(memory)).not.toEqual([]);
    expect(await finishForgetting({ store, config, clock: () => now })).toBeUndefined();
    expect(await finishForgetting({ store, config, clock: () => now + 1000 })).toMatchObject({ memories: 1 });
    expect(holding(memory)).toEqual([]);

    await store.conversations.markReady(now, { gapMs: 1, minEntries: 1 });
    await store.jobs.plan(now, planningWith(1));
    const again = await store.jobs.list({ session: { agent: 'claude-code', session: 's-one' }, statuses: ['ready'] });
    expect(again.map(({ kind }) => kind).sort()).toEqual(['observe', 'observe', 'remember', 'summarize']);
  });

  it('empties the place of an entry in the copy of a Pi session, and the copy stays readable', async () => {
    const memory = await demoMemory();
    const { store, config, clock } = memory.context;
    await fill(memory);
    const [session] = await store.sessions.list({ agent: 'pi' });
    const before = await store.entries.transcript('pi', session?.id as string);
    const gone = before.find(({ author }) => author === 'person');
    const { files } = await run(memory, gone?.id as string);
    expect(files).toEqual([expect.stringContaining('vault/pi/')]);
    await restoreSession({ store, config, clock }, 'pi', session?.id as string);
    await ingest(memory.context, {});
    expect((await store.entries.transcript('pi', session?.id as string)).map(({ id }) => id)).toEqual(
      before.map(({ id }) => id).filter((id) => id !== gone?.id),
    );
  });

  it('names what it cannot reach: transcripts, older backups, archives that a person edited', async () => {
    const memory = await fullMemory();
    const { store, config } = memory.context;
    const backup = path.join(config.home, 'backups', 'old.db');
    fs.mkdirSync(path.dirname(backup));
    await store.admin.backup(backup);
    const [archive] = await store.archives.list({ agent: 'claude-code', session: 's-one' });
    const file = path.join(archive?.folder ?? '', archive?.file ?? '');
    fs.appendFileSync(file, '\nMy own thought.\n');
    const { left } = await run(memory, 's-one');
    expect(left.join('\n')).toMatch(/s-one\.jsonl, the agent's own/);
    expect(left).toContain(`${backup}, a backup from before`);
    expect(left).toContain(`${file}, which was edited by hand`);
  });

  it('is not undone by restoring a backup from before', async () => {
    const memory = await fullMemory();
    const { store, config } = memory.context;
    const backup = path.join(memory.home, 'old.db');
    await store.admin.backup(backup);
    await run(memory, 's-one');
    await memory.store.close();
    const { previous } = await restore.run(memory.context, { file: backup });
    fs.rmSync(previous as string, { force: true });
    const restored = await openSqliteStore(config.databasePath);
    expect((await restored.sessions.list({})).map(({ id }) => id)).toEqual(['s-two']);
    await restored.close();
    expect(holding(memory)).toEqual([]);
  });

  it('asks, and changes nothing without a yes', async () => {
    const memory = await fullMemory();
    const asked: string[] = [];
    const agrees = async (question: string) => asked.push(question) < 0;
    const person = { piped: async () => undefined, edit: async () => false, agrees };
    const answer = await forget.run({ ...memory.context, person }, { id: 's-one', dryRun: false, yes: false });
    expect(asked).toEqual([expect.stringMatching(/^Forget this session for good: .+\?$/)]);
    expect(answer.forgotten).toBe(false);
    expect((await entriesOf(memory)).length).toBe(7);
  });

  it('refuses an unknown id, and is not offered to agents', async () => {
    const memory = await fullMemory();
    await expect(run(memory, 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(run(memory, 's-')).rejects.toMatchObject({ code: 'AMBIGUOUS' });
    expect(operations.find(({ name }) => name === 'forget')?.surfaces).toEqual(['cli', 'http']);
  });
});
