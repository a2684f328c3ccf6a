import fs from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory } from '../../../test/demo-memory.ts';
import { apply, change, conversation, fact, filesOf, folderOf, read, write } from '../../../test/memory-stand.ts';
import { toolsOf } from '../../surfaces/mcp/tools.ts';
import { ingest } from '../data/ingest.ts';
import { memoryHistory, memoryList, memoryShow } from './memory.ts';
import {
  memoryConsolidate,
  memoryEdit,
  memoryForget,
  memoryPromote,
  memoryRevert,
  rememberThis,
} from './memory-change.ts';

const remember = (memory: Memory, text: string, more: Partial<Parameters<typeof rememberThis.run>[1]> = {}) =>
  rememberThis.run(memory.context, { text, ...more });

it('a name of only spaces matches nothing, even if there is a single memory', async () => {
  const memory = await emptyMemory();
  await remember(memory, 'Deploys happen on Tuesdays');
  const forgetting = memoryForget.run(memory.context, { name: ' ', yes: true });
  await expect(forgetting).rejects.toMatchObject({ code: 'BAD_INPUT' });
  expect(read(memory, 'core/facts.md')).toContain('Deploys happen on Tuesdays');
});

it('a later rule cleans pages with the next ingest, takes nothing for an edit, and keeps what a person wrote', async () => {
  const memory = await emptyMemory();
  const { store } = memory.context;
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const monday = conversation('s1', '2026-09-14T08:00:00.000Z');
  const dated = { at: monday.firstAt, title: `Found ${secret}`, text: `It was ${secret}.` };
  await apply(memory, monday, {
    ...fact('token', `The token is ${secret}`),
    ...{ milestones: [dated], episodes: [dated], questions: [{ text: `Is ${secret} still right?` }] },
  });
  await apply(memory, conversation('s2', '2026-09-15T08:00:00.000Z'), fact('old token', 'The token is gone'));
  change(memory, 'core/facts.md', '# Facts\n', '# Facts\n\nA line of my own.\n');
  const holding = () => Object.entries(filesOf(folderOf(memory))).filter((file) => file.join().includes(secret));
  expect(holding().length).toBeGreaterThan(3);
  await ingest.run(memory.context, { reimport: false });
  const db = new Database(store.location);
  db.prepare("UPDATE facts SET value = json_set(value, '$.done', 0, '$.version', 0) WHERE name = 'redaction'").run();
  db.close();

  await ingest.run(memory.context, { reimport: false });
  expect(holding()).toEqual([]);
  const names = Object.keys(filesOf(folderOf(memory))).join();
  expect(names.toLowerCase()).not.toContain(secret.toLowerCase().slice(4, 20));
  const facts = read(memory, 'core/facts.md');
  expect(facts).toContain('A line of my own.');
  expect(facts).toContain('The token is [redacted: GitHub token]');
  for (const { page } of await store.pages.list())
    expect((await store.pages.get(page)).edits.map(({ text }) => text)).toEqual(
      page === 'core/facts.md' ? ['A line of my own.'] : [],
    );
  const rows = [await store.memory.list({}), await store.memory.extractions()];
  expect(JSON.stringify(rows)).not.toContain(secret);
  for (const side of ['', '-wal']) expect(fs.readFileSync(store.location + side).includes(secret), side).toBe(false);
});

describe('remember', () => {
  it('keeps secrets and private passages out, and refuses a text that is all private', async () => {
    const memory = await emptyMemory();
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    await remember(memory, `The token is ${key}, <private>and the dog is Rex</private> it expires in May`);
    const page = read(memory, 'core/facts.md');
    expect(page).toContain('it expires in May');
    expect(page).not.toContain(key);
    expect(page).not.toContain('Rex');
    await expect(remember(memory, '<private>all of it</private>')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(remember(memory, '   ')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it.each([' ', '\0', '\u0001\u200b', '\ufeff\u2029'])('refuses %j, which no page would show', async (text) => {
    await expect(remember(await emptyMemory(), text)).rejects.toThrow('There is nothing to remember');
  });

  it('is offered to agents, with a description of when to use it', () => {
    const tools = toolsOf();
    const tool = tools.find(({ name }) => name === 'remember');
    expect(tool?.readOnly).toBe(false);
    expect(tool?.operation.mcp?.description).toMatch(/asks you to remember/);
    expect(
      tools.filter(({ name }) => name.startsWith('memory_')).map(({ name, readOnly }) => [name, readOnly]),
    ).toEqual([
      ['memory_list', true],
      ['memory_show', true],
      ['memory_history', true],
    ]);
  });
});

describe('the pages', () => {
  it('are listed, shown, edited, reverted, promoted, consolidated and forgotten by id or by name', async () => {
    const memory = await emptyMemory();
    const { context } = memory;
    const episodes = [{ at: '2026-09-14T08:16:00.000Z', title: 'Queue', text: 'Deploys lose webhooks.' }];
    await apply(memory, conversation('s1', '2026-09-14T08:00:00.000Z'), { ...fact('port', '1'), episodes });
    write(memory, 'own.md', '# Own\n\nMine.\n');
    const { pages } = await memoryList.run(context, {});
    expect(pages.map(({ page, memories, own, kind }) => [page, memories, own, kind])).toEqual([
      ['core/facts.md', 1, false, 'evergreen'],
      ['episodes/2026-09/2026-09-14.md', 1, false, 'dated'],
      ['own.md', 1, true, 'evergreen'],
    ]);
    expect((await memoryList.run(context, { project: 'Courier' })).pages.map(({ page }) => page)).toEqual([
      'episodes/2026-09/2026-09-14.md',
    ]);
    const { memories, text } = await memoryShow.run(context, { name: 'facts' });
    const id = memories[0]?.id as string;
    expect(text).toBe(read(memory, 'core/facts.md'));
    await memoryEdit.run(context, { name: id.slice(0, 7), text: '2' });
    expect((await memoryShow.run(context, { name: id })).text).toBe('port: 2');
    expect((await memoryHistory.run(context, { name: id })).memories[0]?.versions.map((each) => each.text)).toEqual([
      'port: 1',
      'port: 2',
    ]);
    expect(await memoryRevert.run(context, { memory: id, release: false })).toMatchObject({ text: 'port: 1', id });
    const episode = (await memoryShow.run(context, { name: '2026-09-14' })).memories[0]?.id as string;
    const { memory: promoted } = await memoryPromote.run(context, {
      memory: episode,
      project: 'courier',
      key: 'deploys',
    });
    expect(promoted).toMatchObject({ page: 'projects/courier/overview.md', source: 'promoted' });
    expect((await memoryConsolidate.run(context, { apply: false })).duplicates).toEqual([]);
    const refusing = { piped: async () => undefined, edit: async () => false, agrees: async () => false };
    expect(await memoryForget.run({ ...context, person: refusing }, { name: id, yes: false })).toMatchObject({
      forgotten: 0,
    });
    expect(await memoryForget.run(context, { name: id, yes: false })).toEqual({
      page: 'core/facts.md',
      forgotten: 1,
      left: [],
    });
    await expect(memoryShow.run(context, { name: id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(memoryShow.run(context, { name: 'core/facts' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('give a memory by its key, and ask which one if several have it', async () => {
    const { context } = await emptyMemory();
    const keep = (wish: object) => rememberThis.run(context, rememberThis.input.parse(wish));
    const { memory: first } = await keep({ text: 'Deploys happen on Tuesdays', key: 'deploy day' });
    await memoryEdit.run(context, { name: 'Deploy day', text: 'Deploys happen on Fridays' });
    expect((await memoryShow.run(context, { name: 'deploy day' })).text).toBe('deploy day: Deploys happen on Fridays');
    const { memory: second } = await keep({ text: 'Ships sail on Mondays', key: 'deploy day', project: 'courier' });
    await expect(memoryShow.run(context, { name: 'deploy day' })).rejects.toMatchObject({
      code: 'AMBIGUOUS',
      hint: expect.stringMatching(new RegExp(`${first.id}[^]*${second.id}|${second.id}[^]*${first.id}`)),
    });
    await expect(memoryShow.run(context, { name: 'deploy' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('have vectors when a command that changed them returns', async () => {
    const memory = await emptyMemory();
    await remember(memory, 'The bridge opens at seven');
    const { pending } = await memory.store.vectors.counts();
    expect(pending).toBe(0);
  });

  it('take an editor or piped text at a terminal, and say what is missing without one', async () => {
    const memory = await emptyMemory();
    await remember(memory, 'one', { key: 'k' });
    const person = { piped: async () => 'two', edit: async () => false };
    await memoryEdit.run({ ...memory.context, person }, { name: 'facts' });
    expect(read(memory, 'core/facts.md')).toBe('two\n');
    const editor = {
      piped: async () => undefined,
      edit: async () => {
        write(memory, 'core/facts.md', 'three\n');
        return true;
      },
    };
    await memoryEdit.run({ ...memory.context, person: editor }, { name: 'facts' });
    expect((await memory.store.memory.list({ page: 'core/facts.md' })).map(({ text }) => text)).toEqual(['three']);
    await expect(memoryEdit.run(memory.context, { name: 'facts' })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});
