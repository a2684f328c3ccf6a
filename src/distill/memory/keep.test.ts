// Tests remember, promote, history, revert, edit, consolidate and forget.
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, now } from '../../../test/demo-memory.ts';
import { holding } from '../../../test/derived.ts';
import {
  apply,
  change,
  conversation,
  deleteDerived,
  fact,
  filesOf,
  folderOf,
  read,
  write,
} from '../../../test/memory-stand.ts';
import { consolidate, separate } from './consolidate.ts';
import { editMemory } from './edit.ts';
import { forgetMemory, forgetSource } from './forget.ts';
import { historyOf, revert } from './history.ts';
import { bringInLine } from './librarian.ts';
import { promote, remember } from './remember.ts';

const monday = conversation('0250d3ae-0001', '2026-09-14T08:00:00.000Z');
const tuesday = conversation('0250d3ae-0002', '2026-09-15T08:00:00.000Z');
const friday = conversation('0250d3ae-0003', '2026-09-18T08:00:00.000Z');
const facts = 'core/facts.md';

const find = async (memory: Memory, query: string) =>
  (await holding(memory.store, 'memory', query)).map(({ text }) => text);
const idOf = async (memory: Memory, text: string): Promise<string> => {
  const found = (await memory.store.memory.list({})).find((each) => each.text.includes(text));
  if (found === undefined) throw new Error(`no memory says ${text}`);
  return found.id;
};

describe('remember', () => {
  it('35. puts preferences, procedures, facts and project knowledge on their pages, where search finds them at once', async () => {
    const memory = await emptyMemory();
    await remember(memory.context, { text: 'Tabs, never spaces', about: 'user', key: 'indentation' });
    await remember(memory.context, { text: 'Tag first, then wait for CI', about: 'procedure', tags: ['release'] });
    await remember(memory.context, { text: 'The bridge opens at 7' });
    await remember(memory.context, { text: 'Postgres only', project: 'courier', key: 'queue' });
    expect(read(memory, 'core/preferences.md')).toContain('- **indentation:** Tabs, never spaces\n');
    expect(read(memory, 'core/procedures.md')).toContain('- Tag first, then wait for CI #release\n');
    expect(read(memory, facts)).toContain('- The bridge opens at 7\n');
    expect(read(memory, 'projects/courier/overview.md')).toContain('- **queue:** Postgres only\n');
    expect(await find(memory, 'bridge')).toEqual(['The bridge opens at 7']);
  });

  it('recognizes a repeated text and keeps it once', async () => {
    const memory = await emptyMemory();
    const first = await remember(memory.context, { text: 'The bridge opens at 7' });
    const second = await remember(memory.context, { text: 'the bridge opens  at 7.' });
    expect([first.known, second.known, first.memory.id === second.memory.id]).toEqual([false, true, true]);
    expect(read(memory, facts).match(/bridge/g)).toHaveLength(1);
  });

  it('outranks earlier and later conversations, and survives a rebuild of the pages', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('package manager', 'npm'));
    await remember(memory.context, { text: 'pnpm', key: 'package manager' });
    await apply(memory, conversation('later', '2099-01-01T00:00:00.000Z'), fact('package manager', 'yarn'));
    expect(read(memory, facts)).toMatch(/- \*\*package manager:\*\* pnpm\n/);
    expect(read(memory, facts)).not.toContain('yarn');
    expect(read(memory, 'questions.md')).toContain('“package manager: yarn”');
    await deleteDerived(memory.context);
    expect(read(memory, facts)).toContain('- **package manager:** pnpm\n');
    await remember(memory.context, { text: 'bun', key: 'package manager' });
    expect(read(memory, facts)).toContain('- **package manager:** bun\n');
  });

  it('replaces what a person wrote or removed by hand before', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('port', '1'));
    change(memory, facts, 'port:** 1', 'port:** 2');
    await remember(memory.context, { text: '3', key: 'port' });
    expect(read(memory, facts)).toContain('- **port:** 3\n');
    change(memory, facts, /^- \*\*port:\*\* 3\n/m, '');
    await bringInLine(memory.context);
    await remember(memory.context, { text: '4', key: 'port' });
    expect(read(memory, facts)).toContain('- **port:** 4\n');
  });
});

describe('promote', () => {
  it('35. turns an episode into a fact; its history shows the time and the source', async () => {
    const memory = await emptyMemory();
    const episode = { at: '2026-09-14T08:16:00.000Z', title: 'Queue', text: 'Deploys lose what is in memory.' };
    await apply(memory, monday, { episodes: [episode] });
    const id = await idOf(memory, 'Deploys lose');
    const { memory: made } = await promote(memory.context, id, { key: 'deploys', about: 'procedure' });
    expect(made).toMatchObject({ page: 'core/procedures.md', source: 'promoted', session: monday.session });
    const [{ versions } = { versions: [] }] = await historyOf(memory.context, made.id);
    expect(versions).toEqual([
      {
        ...{
          saidBy: 'person',
          version: 1,
          at: new Date(now).toISOString(),
          text: 'deploys: Deploys lose what is in memory.',
        },
        ...{ source: 'promoted', session: monday.session, current: true },
        from: `${id} episodes/2026-09/2026-09-14.md`,
      },
    ]);
    await deleteDerived(memory.context);
    expect(read(memory, 'core/procedures.md')).toContain('Deploys lose');
  });
});

describe('history and revert', () => {
  it('32. show all three changes and bring back any of them, which then counts as the person’s own', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('package manager', 'npm'));
    await apply(memory, tuesday, fact('package manager', 'pnpm', 'npm was slow'));
    await apply(memory, friday, fact('package manager', 'bun'));
    const id = await idOf(memory, 'bun');
    const versions = async () =>
      (await historyOf(memory.context, id))[0]?.versions.map((each) => [
        each.text,
        each.source,
        each.session,
        each.why,
        each.current,
      ]);
    expect(await versions()).toEqual([
      ['package manager: npm', 'conversation', monday.session, undefined, false],
      ['package manager: pnpm', 'conversation', tuesday.session, 'npm was slow', false],
      ['package manager: bun', 'conversation', friday.session, undefined, true],
    ]);
    await revert(memory.context, id, {});
    expect(read(memory, facts)).toContain('- **package manager:** pnpm\n');
    await revert(memory.context, id, { to: 1 });
    expect(read(memory, facts)).toContain('- **package manager:** npm\n');
    await apply(memory, conversation('x', '2026-09-19T08:00:00.000Z'), fact('package manager', 'deno'));
    expect(read(memory, facts)).toContain('- **package manager:** npm\n');
    expect((await versions())?.at(-1)).toEqual(['package manager: npm', 'person', undefined, undefined, true]);
    await revert(memory.context, id, { release: true });
    expect(read(memory, facts)).toContain('- **package manager:** deno\n');
  });

  it('33. bring back a line that the person removed, with its old id', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('port', '1'));
    const id = await idOf(memory, 'port');
    change(memory, facts, /^- \*\*port.*\n/m, '');
    await bringInLine(memory.context);
    expect((await historyOf(memory.context, facts)).map((each) => [each.id, each.versions.length])).toEqual([[id, 2]]);
    await revert(memory.context, id, {});
    expect(read(memory, facts)).toContain('- **port:** 1\n');
  });

  it('reject names and versions that do not exist', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('port', '1'));
    const id = await idOf(memory, 'port');
    await expect(historyOf(memory.context, 'nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(revert(memory.context, id, {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(revert(memory.context, id, { to: 9 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(revert(memory.context, facts, {})).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

describe('edit', () => {
  it('33. changes a line, a section or a page, as the person would in an editor', async () => {
    const memory = await emptyMemory();
    const episode = { at: '2026-09-14T08:16:00.000Z', title: 'Queue', text: 'One.\n\nTwo.' };
    await apply(memory, monday, { ...fact('port', '1'), episodes: [episode] });
    await editMemory(memory.context, await idOf(memory, 'port'), '9090');
    expect(read(memory, facts)).toContain('- **port:** 9090\n');
    await editMemory(memory.context, await idOf(memory, 'port'), 'port: 9091');
    expect(read(memory, facts)).toContain('- **port:** 9091\n');
    await editMemory(memory.context, await idOf(memory, 'One.'), 'Just this.');
    const day = 'episodes/2026-09/2026-09-14.md';
    expect(read(memory, day)).toMatch(/## 08:16 Queue\n\nJust this\.\n\n_courier/);
    await editMemory(memory.context, 'facts', '# Mine\n\n- all mine\n');
    await apply(memory, tuesday, fact('port', '2'));
    expect(read(memory, facts)).toMatch(/^# Mine\n\n- all mine\n/);
    expect(read(memory, facts)).not.toContain('port:** ');
    const mine = read(memory, facts);
    const stale = editMemory(memory.context, 'facts', '# Late\n', '# Seen before\n');
    await expect(stale).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(read(memory, facts)).toBe(mine);
    await expect(editMemory(memory.context, 'facts', ' \n')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

describe('consolidate', () => {
  it('shows what it would merge, merges only when asked, keeps everything in the history, and can undo it', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, {
      facts: [...(fact('deploy command', 'make ship').facts ?? []), ...(fact('port', '1').facts ?? [])],
    });
    await apply(memory, tuesday, fact('command to deploy', 'make release'));
    const before = filesOf(folderOf(memory));
    const shown = await consolidate(memory.context, { apply: false });
    expect(shown.duplicates).toMatchObject([
      {
        page: facts,
        keep: { text: 'command to deploy: make release' },
        merge: [{ text: 'deploy command: make ship' }],
      },
    ]);
    expect(filesOf(folderOf(memory))).toEqual(before);
    await consolidate(memory.context, { apply: true });
    expect(read(memory, facts)).not.toContain('\n- **deploy command:** make ship\n');
    const id = await idOf(memory, 'make release');
    expect((await historyOf(memory.context, id))[0]?.versions).toHaveLength(2);
    expect((await consolidate(memory.context, { apply: true })).duplicates).toEqual([]);
    await separate(memory.context, id);
    expect(filesOf(folderOf(memory))).toEqual(before);
  });

  it('never merges away what a person wrote', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, fact('deploy command', 'make ship'));
    await apply(memory, tuesday, fact('command to deploy', 'make release'));
    change(memory, facts, 'make ship', 'make it so');
    await consolidate(memory.context, { apply: true });
    expect(read(memory, facts)).toContain('make it so');
    expect(read(memory, facts)).not.toContain('\n- **command to deploy:**');
  });
});

describe('forget', () => {
  /** All bytes of the data folder and the folder of memories. */
  const bytes = (memory: Memory): string =>
    fs
      .readdirSync(memory.home, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(memory.home, name))
      .filter((name) => fs.statSync(name).isFile())
      .map((name) => fs.readFileSync(name, 'latin1'))
      .join('\n');

  it('removes every version of a fact from pages, index, history and database, and it does not come back', async () => {
    const memory = await emptyMemory();
    const gave = { ...fact('salary', 'zanzibarite'), questions: [{ text: 'Other?' }] };
    await apply(memory, monday, gave);
    await apply(memory, tuesday, fact('salary', 'quetzalcoatl'));
    change(memory, facts, 'quetzalcoatl', 'xylophonist');
    await bringInLine(memory.context);
    await forgetMemory(memory.context, await idOf(memory, 'xylophonist'));
    for (const word of ['zanzibarite', 'quetzalcoatl', 'xylophonist']) {
      expect(await find(memory, word)).toEqual([]);
      expect(bytes(memory).includes(word), word).toBe(false);
    }
    await apply(memory, monday, gave);
    await apply(memory, friday, fact('the salary', 'zanzibarite'));
    expect(bytes(memory).includes('zanzibarite')).toBe(false);
    expect(read(memory, 'questions.md')).toContain('Other?');
    // A new request to remember it is allowed.
    await remember(memory.context, { text: 'secret', key: 'salary' });
    expect(read(memory, facts)).toContain('salary:** secret');
  });

  it('removes an episode, its line in the activity, and facts promoted from it', async () => {
    const memory = await emptyMemory();
    const said = (n: number, text: string) => ({ at: `2026-09-14T08:1${n}:00.000Z`, title: `T ${text}`, text });
    await apply(memory, monday, { episodes: [said(1, 'first'), said(2, 'zanzibarite'), said(3, 'third')] });
    const id = await idOf(memory, 'zanzibarite');
    await promote(memory.context, id, { key: 'stone' });
    change(memory, 'episodes/2026-09/2026-09-14.md', 'third', 'third, edited');
    await bringInLine(memory.context);
    await forgetMemory(memory.context, id);
    expect(bytes(memory).includes('zanzibarite')).toBe(false);
    expect(read(memory, 'episodes/2026-09/2026-09-14.md')).toMatch(/T first\n[\s\S]*T third, edited/);
    expect(fs.existsSync(path.join(folderOf(memory), facts))).toBe(false);
  });

  it('removes a whole page with lines of the person, but refuses a file that the person made', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, {
      ...fact('a', 'zanzibarite'),
      people: [{ name: 'Ana', statements: [{ key: 'k', text: 'v' }] }],
    });
    change(memory, facts, '# Facts\n', '# Facts\n\nMy quetzalcoatl.\n');
    write(memory, 'own.md', 'xylophonist');
    await forgetMemory(memory.context, facts);
    expect(fs.existsSync(path.join(folderOf(memory), facts))).toBe(false);
    expect(/zanzibarite|quetzalcoatl/.test(bytes(memory))).toBe(false);
    await expect(forgetMemory(memory.context, 'own.md')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(read(memory, 'relationships/ana/overview.md')).toContain('**k:** v');
  });

  it('removes what derives from a session, and keeps what other sessions also said', async () => {
    const memory = await emptyMemory();
    await apply(memory, monday, {
      facts: [...(fact('a', 'zanzibarite').facts ?? []), ...(fact('b', 'both').facts ?? [])],
    });
    await apply(memory, tuesday, fact('b', 'both again'));
    change(memory, facts, 'zanzibarite', 'zanzibarite, really');
    await promote(memory.context, await idOf(memory, 'zanzibarite'), { key: 'c', about: 'user' });
    await forgetSource(memory.context, { agent: monday.agent, session: monday.session });
    expect(bytes(memory).includes('zanzibarite')).toBe(false);
    expect(read(memory, facts)).toContain('- **b:** both again\n');
    expect((await memory.store.memory.extractions()).map(({ session }) => session)).toEqual([tuesday.session]);
  });
});

it('two connections that write the same pages at the same time lose nothing', async () => {
  const memory = await emptyMemory();
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  const other = await openSqliteStore(memory.config.databasePath);
  await Promise.all(
    Array.from({ length: 10 }, (_, i) => {
      const store = i % 2 === 0 ? memory.store : other;
      return apply(
        { ...memory, context: { ...memory.context, store } },
        conversation(`s${i}`, `2026-09-14T0${i}:00:00.000Z`),
        {
          facts: [{ key: `key ${'bcdefghjkl'[i]}`, text: `value ${i}`, about: 'world' }],
        },
      );
    }),
  );
  await other.close();
  for (let i = 0; i < 10; i++) expect(read(memory, facts)).toContain(`value ${i}`);
  expect(await bringInLine(memory.context)).toEqual({ pages: [] });
  const db = new Database(memory.config.databasePath, { readonly: true });
  expect(db.prepare('SELECT count(*) FROM memory_edits').pluck().get()).toBe(0);
  db.close();
});
