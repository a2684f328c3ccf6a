import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { distillAll } from '../../../test/distilled.ts';
import { apply, fact } from '../../../test/memory-stand.ts';
import { copyPath, fillVault } from '../../capture/vault/vault.ts';
import { archiveSession } from '../../sessions/archives/archives.ts';
import { sessionsPurge } from './purge.ts';

const noted = { dryRun: false, yes: false } as const;

/** One session per month, January to June, with everything that can be derived from one. */
async function halfYear(): Promise<Memory> {
  const memory = await emptyMemory();
  const { store, config, clock } = memory.context;
  for (let month = 1; month <= 6; month++)
    await tell(memory, `s-${month}`, '/home/dev/tide', `2026-0${month}-10T10:00:00Z`, [
      { by: 'user', text: `Store the lighthouse of month ${month} in the table` },
      { by: 'assistant', text: 'Stored it.', uses: [{ name: 'Bash', input: { command: `grep ${month} a` } }] },
    ]);
  await distillAll(store);
  for (const told of await store.conversations.list({})) {
    await apply(memory, told, fact(`the ${told.session}`, `It is the lighthouse of ${told.session}`));
    await archiveSession({ store, config, clock }, { agent: told.agent, session: told.session });
  }
  await fillVault({ store, config, clock }, { quietMs: Number.NEGATIVE_INFINITY });
  return memory;
}

const left = async ({ context: { store } }: Memory) => (await store.sessions.list({})).map(({ id }) => id);
const stateOf = async ({ home, context: { store } }: Memory) => ({
  counts: await store.entries.counts(),
  sessions: await store.sessions.list({}),
  copies: await store.vault.copies(),
  files: fs
    .readdirSync(path.join(home, 'memory'), { recursive: true, encoding: 'utf8' })
    .filter((at) => /\.(md|gz)$/.test(at)),
});

it('says what would be deleted, and deletes nothing without consent', async () => {
  const memory = await halfYear();
  const before = await stateOf(memory);
  const planned = await sessionsPurge.run(memory.context, { ...noted, olderThan: '2026-04-01', dryRun: true });
  expect(planned).toEqual({
    ...{ purged: false, sessions: 3, entries: 6, toolUses: 3, conversations: 3, memories: 3, copies: 3, archives: 3 },
    ...{ oldest: expect.stringMatching(/^2026-01/), newest: expect.stringMatching(/^2026-03/), kept: [], spared: 0 },
  });
  const asked: string[] = [];
  const person = (answer: boolean) => ({
    piped: async () => undefined,
    edit: async () => false,
    async agrees(question: string) {
      asked.push(question);
      return answer;
    },
  });
  // No terminal; then a person who says no.
  expect(await sessionsPurge.run(memory.context, { ...noted, keep: 0 })).toMatchObject({ purged: false, sessions: 6 });
  const refusing = { ...memory.context, person: person(false) };
  expect(await sessionsPurge.run(refusing, { ...noted, keep: 0 })).toMatchObject({ purged: false });
  expect(asked).toEqual([
    'Delete 6 sessions: 12 entries, 6 tool uses, 6 conversations, memories of 6 conversations, 6 copies in the vault, 6 archives?',
  ]);
  await expect(sessionsPurge.run(memory.context, { ...noted, yes: true })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  expect(await stateOf(memory)).toEqual(before);
  const agreeing = { ...memory.context, person: person(true) };
  const done = await sessionsPurge.run(agreeing, { ...noted, olderThan: '2026-04-01' });
  expect(done).toEqual({ ...planned, purged: true });
  expect(await left(memory)).toEqual(['s-6', 's-5', 's-4']);
  expect(await memory.context.store.vault.copies()).toHaveLength(3);
  expect(await memory.context.store.admin.integrity()).toEqual([]);
});

it('an archive that was edited by hand is not listed for deletion', async () => {
  const memory = await halfYear();
  const [{ folder, file } = { folder: '', file: '' }] = await memory.context.store.archives.list({
    ...{ agent: 'claude-code', session: 's-1' },
  });
  fs.appendFileSync(path.join(folder, file), 'Mine.\n');
  const planned = await sessionsPurge.run(memory.context, { ...noted, keep: 0, dryRun: true });
  expect(planned).toMatchObject({ archives: 5, kept: [path.join(folder, file)] });
  expect(await sessionsPurge.run(memory.context, { ...noted, keep: 0, yes: true })).toEqual({
    ...planned,
    purged: true,
  });
});

it('keeps the given number of the chosen sessions; pinned and active sessions stay', async () => {
  const memory = await halfYear();
  const { store, clock } = memory.context;
  await store.pins.set({ kind: 'session', id: 's-1', agent: 'claude-code' }, 'pinned', 1);
  await store.groups.create('reef', clock());
  expect(
    await sessionsPurge.run(memory.context, { ...noted, keep: 2, olderThan: '2026-04-01', yes: true }),
  ).toMatchObject({ purged: true, sessions: 2, spared: 1 });
  expect(await left(memory)).toEqual(['s-6', 's-5', 's-4', 's-1']);
  expect(await sessionsPurge.run(memory.context, { ...noted, keep: 0, project: 'other', yes: true })).toMatchObject({
    purged: false,
    sessions: 0,
  });
  expect(await sessionsPurge.run(memory.context, { ...noted, keep: 1, yes: true })).toMatchObject({ sessions: 2 });
  expect(await left(memory)).toEqual(['s-6', 's-1']);
});

it('can be repeated after it stopped between the files and the rows', async () => {
  const memory = await halfYear();
  const { store, config } = memory.context;
  const broken = {
    ...memory.context,
    store: {
      ...store,
      removal: { ...store.removal, deleteSessions: () => Promise.reject(new Error('the disk is full')) },
    },
  };
  await expect(sessionsPurge.run(broken, { ...noted, keep: 3, yes: true })).rejects.toThrow('the disk is full');
  expect(await left(memory)).toHaveLength(6);
  expect(await sessionsPurge.run(memory.context, { ...noted, keep: 3, yes: true })).toMatchObject({ sessions: 3 });
  expect(await left(memory)).toEqual(['s-6', 's-5', 's-4']);
  for (const { agent, key } of await store.vault.copies())
    expect(fs.existsSync(copyPath(config, agent, key))).toBe(true);
  expect(await store.admin.integrity()).toEqual([]);
});
