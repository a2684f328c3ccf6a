// SQLite fulfils the store's contract. Beyond that: migrations, modes, durability, and queries that use their indexes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { choiceText } from '../../src/schema/choice.ts';
import { remarkText } from '../../src/schema/statement-form.ts';
import { migrations } from '../../src/store/sqlite/migrations.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { takeObservation } from '../distilled.ts';
import { planningWith } from '../job-rules.ts';
import { chunk, entry, rules } from './chunks.ts';
import { describeStore } from './store.ts';
import { observation, summary } from './store-distilled.ts';
import { describeJobs } from './store-jobs.ts';
import { describeMemoryStore, memory, statement } from './store-memory.ts';

const folderOf = () => fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-sqlite-'));

const opened = async () => {
  const folder = folderOf();
  const location = path.join(folder, 'holdfast.db');
  const stores: Store[] = [];
  const open = async (backup = location) => {
    const store = await openSqliteStore(backup);
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    reopen: open,
    async close() {
      for (const store of stores) await store.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
};

describeStore('SQLite', opened);
describeJobs('SQLite', opened);
describeMemoryStore('SQLite', opened);

function place(): string {
  const folder = folderOf();
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'holdfast.db');
}

/** The database through a separate connection. */
function raw<T>(location: string, work: (db: Database.Database) => T): T {
  const db = new Database(location);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

describe('data that an older version derived', () => {
  /** A store from before 006-words: indexed without the parts of names, no touches. */
  async function older(entries: number): Promise<string> {
    const location = place();
    const store = await openSqliteStore(location);
    const toolUses = [{ id: 'u', tool: 'Edit', input: '{}', files: ['/w/tide/src/gauge.ts'] }];
    const many = Array.from({ length: entries }, (_, i) => entry(`e${i}`, `useTideGauge ${i}`, { toolUses }));
    await store.transcripts.commit([chunk(many)], rules);
    await store.close();
    raw(location, (db) => {
      db.exec("DELETE FROM entries_fts; DELETE FROM file_touches; DELETE FROM facts WHERE name = 'derived'");
      db.exec('INSERT INTO entries_fts (rowid, text) SELECT id, text FROM entries');
    });
    return location;
  }
  const state = async (store: Store) => [
    (await store.search.keywords({ terms: [{ words: ['gauge'], prefix: false }], phrases: [] }, { limit: 99 })).length,
    (await store.search.fileTouches(['/w/tide/src/gauge.ts'], { limit: 99 })).length,
  ];

  it('is derived again in steps, the newest first, and continues where another connection stopped', async () => {
    const location = await older(25);
    const first = await openSqliteStore(location);
    expect(await state(first)).toEqual([0, 0]);
    for (let i = 0; i < 5; i++) expect(await first.admin.renewDerived(10)).toEqual({ done: false });
    expect(await state(first)).toEqual([20, 25]);
    expect((await first.search.fileTouches(['/w/tide/src/gauge.ts'], { limit: 1 }))[0]?.entry.id).toBe('e24');
    await first.close();
    const second = await openSqliteStore(location);
    expect(await second.admin.renewDerived(10)).toEqual({ done: true });
    expect(await state(second)).toEqual([25, 25]);
    expect(await second.admin.renewDerived(10)).toEqual({ done: true });
    expect(await second.admin.integrity()).toEqual([]);
    await second.close();
  });
});

describe('tool uses in a store from before 028-tool-index', () => {
  it('are indexed in steps, the newest first, and another connection continues where one stopped', async () => {
    const location = place();
    const store = await openSqliteStore(location);
    const many = Array.from({ length: 25 }, (_, i) => {
      const toolUses = [{ id: `u${i}`, tool: 'Bash', input: '{"command":"docker build"}', files: [] }];
      return entry(`e${i}`, '', { tools: ['Bash'], toolUses });
    });
    await store.transcripts.commit([chunk(many)], rules);
    await store.close();
    raw(location, (db) => {
      db.exec(`DROP TABLE uses_fts; DROP TABLE unindexed_uses; DROP TRIGGER entries_used_no_more; DROP INDEX tool_uses_by_tool;
        DELETE FROM migrations WHERE name = '028-tool-index'; DELETE FROM vector_queue`);
    });
    const first = await openSqliteStore(location);
    const found = async (one: Store) =>
      (await one.search.rankToolUses({ terms: [{ words: ['docker'], prefix: false }], phrases: [] }, { limit: 99 }))
        .rows;
    expect(await found(first)).toEqual([]);
    expect(await first.admin.renewDerived(10)).toEqual({ done: false });
    expect([...(await found(first))].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, i) => 16 + i));
    await first.close();
    const second = await openSqliteStore(location);
    while (!(await second.admin.renewDerived(10)).done);
    expect((await found(second)).length).toBe(25);
    expect((await second.vectors.pending(99)).length).toBe(25);
    expect(await second.admin.integrity()).toEqual([]);
    await second.close();
  });
});

describe('questions in a store from before 016-asking', () => {
  /** Every third entry is a question. */
  async function older(entries: number): Promise<string> {
    const location = place();
    const store = await openSqliteStore(location);
    await store.transcripts.commit(
      [chunk(Array.from({ length: entries }, (_, i) => entry(`e${i}`, i % 3 ? 'so' : 'why?')))],
      rules,
    );
    await store.close();
    raw(location, (db) => {
      db.exec(`DROP TABLE asking_entries; DELETE FROM migrations WHERE name = '016-asking';
        DROP TRIGGER entries_asking; DROP TRIGGER entries_ask_otherwise; DROP TRIGGER entries_ask_no_more`);
    });
    return location;
  }
  const asking = async (store: Store) =>
    (await store.vectors.placesAfter(0, { limit: 9 })).marks.flatMap((marks, i) => (marks & 32 ? [i] : []));
  const noted = (location: string) =>
    raw(location, (db) => [
      db.prepare('SELECT count(*) FROM asking_entries').pluck().get(),
      db.prepare("SELECT value FROM facts WHERE name = 'unread for questions'").pluck().get(),
    ]);

  it('are known at once, before, during and after the migration, wherever it stops', async () => {
    const location = await older(25);
    const first = await openSqliteStore(location);
    const all = [0, 3, 6, 9, 12, 15, 18, 21, 24];
    expect(await asking(first)).toEqual(all);
    expect(noted(location)).toEqual([0, '25']);
    await first.admin.renewDerived(10);
    expect(noted(location)).toEqual([4, '15']);
    expect(await asking(first)).toEqual(all);
    await first.close();
    const second = await openSqliteStore(location);
    await second.transcripts.commit([chunk([entry('late', 'and now?'), entry('later', 'so')], { from: 250 })], rules);
    expect(await asking(second)).toEqual([...all, 25]);
    while (!(await second.admin.renewDerived(10)).done);
    expect(noted(location)).toEqual([10, undefined]);
    expect(await asking(second)).toEqual([...all, 25]);
    await second.close();
  });
});

describe('summaries in a store from before 043-parts-of-summaries', () => {
  it('get outcome and commits from their text, also those of earlier turns', async () => {
    const location = place();
    const store = await openSqliteStore(location);
    await store.transcripts.commit([chunk([entry('e0', 'Why is it late?')])], rules);
    for (const prompts of [1, 2])
      await store.hub.replaceRows([{ is: 'summary', ...summary({ prompts, title: `After ${prompts}` }) }]);
    const told = async (one: Store) => [
      ...(await one.distilled.summaries({})),
      ...(await one.distilled.pastSummaries({ agent: 'claude-code', session: 's1' })),
    ];
    const before = await told(store);
    expect(before.map(({ title, outcome, commits }) => [title, outcome, commits])).toEqual([
      ['After 2', 'Mended.', ['Mend the table']],
      ['After 1', 'Mended.', ['Mend the table']],
    ]);
    await store.close();
    raw(location, (db) => {
      db.exec(`ALTER TABLE summaries DROP COLUMN outcome; ALTER TABLE summaries DROP COLUMN commits;
        UPDATE past_summaries SET json = json_remove(json, '$.outcome', '$.commits');
        DELETE FROM migrations WHERE name = '043-parts-of-summaries'`);
    });
    const second = await openSqliteStore(location);
    expect(await told(second)).toEqual(before);
    await second.close();
  });
});

describe('choices in a store from before 044-choices', () => {
  it('get question and answer from the text of statements and memories, but not from a line that a person wrote', async () => {
    const location = place();
    const store = await openSqliteStore(location);
    const choice = { question: 'Where are the tides kept?', answer: 'In SQLite.' };
    const text = choiceText(choice);
    await store.memory.saveStatement(statement('a.md', 'k', 1, { text, choice }));
    const { version } = await store.pages.get('a.md');
    await store.pages.settle('a.md', version, () => ({ stamp: 's', derived: true }), [
      memory('m1', text, { source: 'conversation', choice }),
      memory('m2', text, { source: 'person' }),
    ]);
    const told = async (one: Store) => [
      ...(await one.pages.get('a.md')).statements.map((row) => row.choice),
      ...(await one.memory.list({})).map((row) => row.choice),
    ];
    expect(await told(store)).toEqual([choice, choice, undefined]);
    await store.close();
    raw(location, (db) => {
      for (const table of ['statements', 'memories'])
        db.exec(`ALTER TABLE ${table} DROP COLUMN question; ALTER TABLE ${table} DROP COLUMN answer`);
      db.exec("DELETE FROM migrations WHERE name = '044-choices'");
    });
    const second = await openSqliteStore(location);
    expect(await told(second)).toEqual([choice, choice, undefined]);
    await second.close();
  });
});

describe('statements in a store from before 046-statement-forms', () => {
  it('get their form from the text of statements and memories, but not a line that a person wrote', async () => {
    const location = place();
    const store = await openSqliteStore(location);
    const text = remarkText('Moor by size', 'Never ask the pier.');
    const plain = { text: 'The pier is closed.', kind: 'keyed' as const };
    await store.memory.saveStatement(statement('a.md', 'k', 1, { text, form: 'remark' }));
    await store.memory.saveStatement(statement('a.md', 'l', 2, plain));
    const { version } = await store.pages.get('a.md');
    await store.pages.settle('a.md', version, () => ({ stamp: 's', derived: true }), [
      memory('m1', text, { source: 'conversation', form: 'remark' }),
      memory('m2', text, { source: 'person' }),
    ]);
    const told = async (one: Store) => [
      ...(await one.pages.get('a.md')).statements.map((row) => row.form),
      ...(await one.memory.list({})).map((row) => row.form),
    ];
    expect(await told(store)).toEqual(['remark', undefined, 'remark', undefined]);
    await store.close();
    raw(location, (db) => {
      for (const table of ['statements', 'memories']) db.exec(`ALTER TABLE ${table} DROP COLUMN form`);
      db.exec("DELETE FROM migrations WHERE name = '046-statement-forms'");
    });
    const second = await openSqliteStore(location);
    expect(await told(second)).toEqual(['remark', undefined, 'remark', undefined]);
    await second.close();
  });
});

describe('retirements in a store from before 048-endings', () => {
  it('get what they end from their key, but other statements do not', async () => {
    const location = place();
    const store = await openSqliteStore(location);
    const retired = { kind: 'retired' as const, text: 'Gone.' };
    const rows = [
      { ...retired, key: 'removed: TideCursor', ends: { by: 'removal' as const, of: 'TideCursor' } },
      { ...retired, key: 'amended: Moor by size', ends: { by: 'amendment' as const, of: 'Moor by size' } },
      { ...retired, key: 'the pier' },
      { kind: 'keyed' as const, text: 'Removed boats sink.', key: 'removed: boats' },
    ];
    for (const [place, row] of rows.entries())
      await store.memory.saveStatement(statement('a.md', `k${place}`, place + 1, row));
    const told = async (one: Store) => (await one.pages.get('a.md')).statements.map(({ ends }) => ends);
    expect(await told(store)).toEqual(rows.map((row) => ('ends' in row ? row.ends : undefined)));
    await store.close();
    raw(location, (db) => {
      for (const column of ['ends_by', 'ends']) db.exec(`ALTER TABLE statements DROP COLUMN ${column}`);
      db.exec("DELETE FROM migrations WHERE name = '048-endings'");
    });
    const second = await openSqliteStore(location);
    expect(await told(second)).toEqual(rows.map((row) => ('ends' in row ? row.ends : undefined)));
    await second.close();
  });
});

describe("a person's lines in a store from before 032-memory-on-several-machines", () => {
  it('keep their order and their places, under names that no other machine has', async () => {
    const location = place();
    await (await openSqliteStore(location)).close();
    raw(location, (db) => {
      db.exec(
        `DELETE FROM migrations WHERE name = '032-memory-on-several-machines'; ALTER TABLE memory_tombstones DROP COLUMN at`,
      );
      const add = db.prepare(
        `INSERT INTO memory_edits (page, target, kind, text, tight, front, anchor, section, before, at) VALUES ('a.md', ?, ?, ?, 1, 0, ?, '', '', ?)`,
      );
      add.run('own:0', 'add', 'first', 'body', 50);
      add.run('own:1', 'add', 'second', 'own:0', 50);
      // Noticed later, from a file with an older date.
      add.run('own:0', 'change', 'first again', '', 20);
      db.prepare(
        `INSERT INTO memory_pages (page, written, written_targets) VALUES ('a.md', 'x', '["title","own:0","own:1"]')`,
      ).run();
    });
    const store = await openSqliteStore(location);
    const { edits, written } = await store.pages.get('a.md');
    expect(edits.map(({ target, text, anchor }) => [target, text, anchor])).toEqual([
      ['own:0.32', 'first', 'body'],
      ['own:1.33', 'second', 'own:0.32'],
      ['own:0.32', 'first again', ''],
    ]);
    expect(written?.targets).toEqual(['title', 'own:0.32', 'own:1.33']);
    await store.close();
  });
});

const bytesIn = (folder: string) =>
  Object.fromEntries(fs.readdirSync(folder).map((name) => [name, fs.readFileSync(path.join(folder, name), 'hex')]));

describe('migrations', () => {
  it('run once on a fresh database, in order, and not again', async () => {
    const location = place();
    const first = await openSqliteStore(location);
    await first.transcripts.commit([chunk([entry('a', 'kept')])], rules);
    await first.close();
    const applied = () => raw(location, (db) => db.prepare('SELECT * FROM migrations ORDER BY name').all());
    const before = applied();
    expect(before.map((row) => (row as { name: string }).name)).toEqual(migrations.map(({ name }) => name));
    const second = await openSqliteStore(location);
    expect((await second.entries.counts()).entries).toBe(1);
    await second.close();
    expect(applied()).toEqual(before);
  });

  it('have names that sort in the order in which they run', () => {
    const names = migrations.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    for (const name of names) expect(name).toMatch(/^\d{3}-[a-z-]+$/);
  });

  it('refuse a database from a newer version, and leave its bytes unchanged', async () => {
    const location = place();
    await (await openSqliteStore(location)).close();
    raw(location, (db) => db.exec("INSERT INTO migrations VALUES ('999-from-the-future', 'x')"));
    const before = bytesIn(path.dirname(location));
    await expect(openSqliteStore(location)).rejects.toMatchObject({
      code: 'STORE_NEWER',
      message: expect.stringContaining('999-from-the-future'),
    });
    expect(bytesIn(path.dirname(location))).toEqual(before);
  });

  it('refuse the database of another program, and leave its bytes unchanged', async () => {
    const location = place();
    raw(location, (db) => db.exec('CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES (1)'));
    const before = bytesIn(path.dirname(location));
    await expect(openSqliteStore(location)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(bytesIn(path.dirname(location))).toEqual(before);
  });

  it('refuse a file that is not a database, with a hint', async () => {
    const location = place();
    fs.writeFileSync(location, 'not a database, but long enough to be looked at '.repeat(100));
    const before = bytesIn(path.dirname(location));
    await expect(openSqliteStore(location)).rejects.toMatchObject({ code: 'STORE_DAMAGED', hint: expect.any(String) });
    expect(bytesIn(path.dirname(location))).toEqual(before);
  });

  it('turn an empty file into a database: a crash right after its creation is no obstacle', async () => {
    const location = place();
    fs.writeFileSync(location, '', { mode: 0o600 });
    const store = await openSqliteStore(location);
    expect((await store.entries.counts()).entries).toBe(0);
    await store.close();
  });
});

describe('the file', () => {
  it('is closed to other users, with its side files, whatever the umask', async () => {
    const location = place();
    const before = process.umask(0);
    try {
      const store = await openSqliteStore(location);
      await store.transcripts.commit([chunk([entry('a', 'x')])], rules);
      await store.admin.backup(`${location}.copy`);
      for (const name of ['', '-wal', '-shm', '.copy'])
        expect((fs.statSync(location + name).mode & 0o777).toString(8), name || 'database').toBe('600');
      expect(await store.admin.size()).toBeGreaterThan(fs.statSync(location).size);
      await store.close();
    } finally {
      process.umask(before);
    }
  });

  it('uses a write-ahead log and syncs, so that an acknowledged commit survives a power cut', async () => {
    const location = place();
    const ran: string[] = [];
    const store = await openSqliteStore(location, (sql) => ran.push(sql));
    expect(ran.map((sql) => sql.toLowerCase())).toEqual(
      expect.arrayContaining(['pragma journal_mode = wal', 'pragma synchronous = full', 'pragma foreign_keys = on']),
    );
    expect(raw(location, (db) => db.pragma('journal_mode', { simple: true }))).toBe('wal');
    await store.close();
  });
});

it('a backup is consistent while another process writes without a pause', async () => {
  const location = place();
  const store = await openSqliteStore(location);
  const writer = `const D = require('better-sqlite3'); const db = new D(process.argv[1], { timeout: 5000 });
    const add = db.prepare("INSERT INTO projects (path, name) VALUES (?, 'n')"); let n = 0;
    const pair = db.transaction(() => { add.run('a' + n); add.run('b' + n++); });
    console.log('begun'); for (;;) pair.immediate();`;
  const child = spawn(process.execPath, ['-e', writer, location], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    for (let i = 0; i < 3; i++) await store.admin.backup(`${location}.${i}`);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (let i = 0; i < 3; i++) {
    const [a, b, sound] = raw(`${location}.${i}`, (db) => [
      db.prepare("SELECT count(*) FROM projects WHERE path LIKE 'a%'").pluck().get(),
      db.prepare("SELECT count(*) FROM projects WHERE path LIKE 'b%'").pluck().get(),
      db.pragma('integrity_check', { simple: true }),
    ]);
    expect(a).toBe(b);
    expect(sound).toBe('ok');
  }
  await store.close();
});

describe('hot queries', () => {
  const uses = [{ id: 't', tool: 'Read', input: '{}', files: [] }];
  const used = [{ id: 't', pos: 0, outcome: 'ok' as const, output: 'x' }];
  const first = chunk([entry('a', 'tide table', { toolUses: uses }), entry('b', 'database')], { results: used });
  const on = chunk([entry('c', 'more', { joinsAt: 0 })], { from: 20 });
  const fork = chunk([entry('a', 'tide table', { session: 's2' }), entry('d', 'own', { session: 's2' })], {
    key: 'p/s2.jsonl',
    results: used,
  });
  const terms = (word: string) => ({ terms: [{ words: [word], prefix: false }], phrases: [] });
  const work: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    'a chunk that goes on': (store) => store.transcripts.commit([on], rules),
    'a fork': (store) => store.transcripts.commit([fork], rules),
    'a restart': (store) =>
      store.transcripts.commit([{ ...first, restart: true, entries: first.entries.slice(1) }], rules),
    'a look at one file': (store) => store.transcripts.state('claude-code', 'p/s1.jsonl'),
    'a search': (store) => store.search.keywords(terms('database'), { limit: 5 }),
    'a filtered search': (store) =>
      store.search.keywords(terms('database'), { limit: 5, project: { path: '/w/tide/src' }, role: 'user', since: 1 }),
    'a transcript': (store) => store.entries.transcript('claude-code', 's1', { subagents: true }),
    'an entry by id': (store) => store.entries.find('a'),
    'a session by id': (store) => store.sessions.find('s'),
    'tool uses': (store) => store.entries.toolUses(['a', 'b']),
    'a turn': (store) => store.entries.turns('claude-code', 's1', 1),
    'the turns of a session': (store) => store.entries.turns('claude-code', 's1'),
    'an observation that is saved': (store) => takeObservation(store, observation('a')),
    'a search in observations': (store) => store.distilled.search('observation', terms('database'), {}),
    'who touched a file': (store) => store.search.fileTouches(['/w/tide/a.ts'], { limit: 5, since: 1 }),
    'words in turns': (store) => store.search.turnMatches(terms('database'), 'a'),
    sessions: (store) => store.sessions.list({ limit: 20 }),
    conversations: (store) => store.conversations.list({ status: 'active', limit: 20 }),
    'entries of a conversation': (store) => store.conversations.entries(1),
    'a poll': (store) => store.conversations.markReady(0, { gapMs: 1, minEntries: 5 }),
    'the planning of jobs': (store) => store.jobs.plan(0, planningWith(1)),
    'a query for texts without vectors': async (store) => [
      await store.vectors.wantModel('m'),
      await store.vectors.pending(5),
      await store.vectors.dropOld(5),
    ],
    'vectors saved': async (store) => {
      const pending = await store.vectors.pending(5);
      const vectors = [new Int8Array(16).fill(1)];
      await store.vectors.save(
        'm',
        pending.map(({ kind, id, stamp }) => ({ kind, id, stamp, vectors })),
      );
    },
    'a look for changed places': (store) => store.vectors.placesAfter(1, { model: 'm', limit: 5 }),
  };

  it.each(Object.entries(work))('%s does not scan the table of entries', async (_, run) => {
    const location = place();
    let ran: string[] = [];
    const store = await openSqliteStore(location, (sql) => ran.push(sql));
    await store.transcripts.commit([first], rules);
    await store.vectors.wantModel('m');
    ran = [];
    await run(store);
    const statements = [...new Set(ran)].filter((sql) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql));
    expect(statements).not.toEqual([]);
    const scans = raw(location, (db) =>
      statements.flatMap((sql) =>
        (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
          .map(({ detail }) => detail)
          .filter((detail) => /^SCAN (entries|entry_copies|tool_uses|e|o|k|t|x|c)\b(?!.*VIRTUAL)/.test(detail))
          .map((detail) => `${detail}: ${sql}`),
      ),
    );
    expect(scans).toEqual([]);
    await store.close();
  });
});
