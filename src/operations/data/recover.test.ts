import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { now } from '../../../test/demo-memory.ts';
import { type LivedIn, livedIn, pagesIn } from '../../../test/lived-in.ts';
import { ingest } from '../../capture/ingest.ts';
import { openSpool } from '../../capture/live/spool.ts';
import { copyPath, fillVault } from '../../capture/vault/vault.ts';
import { restoreSession } from '../../capture/vault/vault-restore.ts';
import { loadConfig } from '../../config/config.ts';
import { liveEvents } from '../../schema/live-event.ts';
import { type RowCounts, rowCounts } from '../../store/sqlite/merge-tables.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Context } from '../operation.ts';
import { forget } from './forget.ts';
import { recover } from './recover.ts';

let life: LivedIn;
let template: string;
beforeAll(async () => {
  life = await livedIn();
  template = `${life.folder}.template`;
  fs.cpSync(life.folder, template, { recursive: true });
});
afterAll(() => {
  for (const folder of [life.folder, template]) fs.rmSync(folder, { recursive: true, force: true });
});

/** The same folder at the same path, as it was before any test. */
function again(): { database: string; backups: string; context: Context; memory: string } {
  fs.rmSync(life.folder, { recursive: true, force: true });
  fs.cpSync(template, life.folder, { recursive: true, preserveTimestamps: true });
  const config = loadConfig(life.env);
  const { databasePath: database, memoryPath: memory } = config;
  const context = { config, clock: () => now } as Context;
  return { database, backups: path.join(config.home, 'backups'), context, memory };
}

const pageBytes = 4096;

function overwrite(file: string, from: number, bytes: Buffer): void {
  const fd = fs.openSync(file, 'r+');
  fs.writeSync(fd, bytes, 0, bytes.length, from);
  fs.closeSync(fd);
}

/** The log is merged, so that all content is in the file itself. */
function fold(database: string): void {
  const db = new Database(database);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

const pagesOf = (database: string, names: readonly string[]): number[] => {
  const db = new Database(database, { readonly: true });
  const found = db
    .prepare(`SELECT pageno FROM dbstat WHERE name IN (${names.map((name) => `'${name}'`).join(', ')}) ORDER BY pageno`)
    .pluck()
    .all() as number[];
  db.close();
  return found;
};

/** `yields`: how much of the time since the backup the damaged file still contains. */
type Damage = readonly [name: string, yields: 'all' | 'some' | 'none', (database: string) => void];

const damages: readonly Damage[] = [
  [
    'a file that is gone, with its log',
    'none',
    (db) => ['', '-wal', '-shm'].map((side) => fs.rmSync(db + side, { force: true })),
  ],
  ['a log that is gone', 'none', (db) => fs.rmSync(`${db}-wal`)],
  ['a log that was cut', 'some', (db) => fs.truncateSync(`${db}-wal`, Math.floor(fs.statSync(`${db}-wal`).size / 2))],
  [
    'a header of zeros',
    'all',
    (db) => {
      fold(db);
      overwrite(db, 0, Buffer.alloc(100));
    },
  ],
  [
    'a first page of zeros',
    'none',
    (db) => {
      fold(db);
      overwrite(db, 0, Buffer.alloc(pageBytes));
    },
  ],
  [
    'a file cut in the middle',
    'some',
    (db) => {
      fold(db);
      fs.truncateSync(db, Math.floor(fs.statSync(db).size / 2) + 100);
    },
  ],
  [
    'a middle of random bytes',
    'some',
    (db) => {
      fold(db);
      const third = Math.floor(fs.statSync(db).size / 3);
      overwrite(db, third, randomBytes(third));
    },
  ],
  [
    'torn pages, each tenth half written',
    'some',
    (db) => {
      fold(db);
      for (let page = 9; page < fs.statSync(db).size / pageBytes; page += 10)
        overwrite(db, page * pageBytes + pageBytes / 2, Buffer.alloc(pageBytes / 2));
    },
  ],
  [
    'damaged pages of the index of words',
    'all',
    (db) => {
      fold(db);
      for (const page of pagesOf(db, ['entries_fts_data', 'entries_fts_idx', 'entries_fts_docsize']))
        overwrite(db, (page - 1) * pageBytes, randomBytes(pageBytes));
    },
  ],
  [
    'damaged pages of indexes',
    'all',
    (db) => {
      fold(db);
      for (const page of pagesOf(db, [
        'entries_by_file',
        'entries_by_session',
        'sqlite_autoindex_entries_1',
        'vectors_by_subject',
      ]))
        overwrite(db, (page - 1) * pageBytes, randomBytes(pageBytes));
    },
  ],
  [
    'damaged pages of entries',
    'some',
    (db) => {
      fold(db);
      for (const page of pagesOf(db, ['entries']).filter((_, i) => i % 3 === 1))
        overwrite(db, (page - 1) * pageBytes, randomBytes(pageBytes));
    },
  ],
  [
    'pins, groups and messages that cannot be read',
    'some',
    (db) => {
      fold(db);
      for (const page of pagesOf(db, [
        'pins',
        'groups',
        'incoming',
        'outgoing',
        'tombstones',
        'pauses',
        'memory_edits',
      ]))
        overwrite(db, (page - 1) * pageBytes, randomBytes(pageBytes));
    },
  ],
  [
    'another file in its place',
    'none',
    (db) => {
      for (const side of ['-wal', '-shm']) fs.rmSync(db + side, { force: true });
      fs.writeFileSync(db, 'not a database '.repeat(1000));
    },
  ],
  [
    'the database of another program in its place',
    'none',
    (db) => {
      for (const side of ['', '-wal', '-shm']) fs.rmSync(db + side, { force: true });
      const other = new Database(db);
      other.exec("CREATE TABLE bookmarks_of_a_browser (url TEXT); INSERT INTO bookmarks_of_a_browser VALUES ('x')");
      other.close();
    },
  ],
];

const hashOf = (file: string) => createHash('sha256').update(fs.readFileSync(file)).digest('hex');

async function look(database: string) {
  const store = await openSqliteStore(database);
  try {
    const entries = new Set<string>();
    const texts: string[] = [];
    for (const { agent, id } of await store.sessions.list({}))
      for (const entry of await store.entries.transcript(agent, id, { subagents: true })) {
        entries.add(entry.id);
        texts.push(entry.text);
      }
    const pins = new Set((await store.pins.list()).map(({ id }) => id));
    const waiting = (await store.messages.waiting('tide')).map(({ text }) => text);
    return { entries, text: texts.join('\n'), pins, waiting, problems: await store.admin.integrity() };
  } finally {
    await store.close();
  }
}

/** What the vault gives back of a session whose transcript is gone. */
async function restored(database: string, { config, clock }: Context, session: string) {
  const store = await openSqliteStore(database);
  try {
    return await restoreSession({ store, config, clock }, 'claude-code', session);
  } finally {
    await store.close();
  }
}

/** How many rows of each kind there are, ignoring duplicates on the way. */
const kinds = (counts: RowCounts) => {
  const { conversations: _, transcripts: __, extractions: ___, forgotten: ____, ...rest } = counts;
  return rest;
};

describe('recover', () => {
  it.each(damages)('brings everything back after %s', async (name, yields, damage) => {
    const { database, context, memory } = again();
    damage(database);
    const wasThere = fs.existsSync(database);
    const before = wasThere ? hashOf(database) : '';
    const report = await recover.run(context, { dryRun: false });
    const after = await look(database);
    expect(after.problems, name).toEqual([]);
    // Everything that an agent, the vault, the backup or the file has, and nothing that was forgotten or said during a
    // pause.
    expect(
      life.entries.all.filter((id) => !after.entries.has(id)),
      name,
    ).toEqual([]);
    expect(after.entries.has(life.entries.onlyInVault)).toBe(true);
    expect(after.entries.has(life.entries.onlyInDatabase)).toBe(true);
    for (const id of life.forgotten) expect(after.entries.has(id), id).toBe(false);
    expect(after.text).not.toContain('marmot');
    expect(after.text).not.toContain(life.paused);
    // Pages are as the person left them, with both edits.
    expect(pagesIn(memory)).toEqual(life.pages);
    expect(after.pins.has(life.pins[0])).toBe(true);
    if (yields === 'all') expect(after.pins.has(life.pins[1])).toBe(true);
    if (yields === 'none') expect(after.pins.has(life.pins[1])).toBe(false);
    expect(after.waiting).toEqual(['And now?']);
    expect(await restored(database, context, 'vaulted'), name).toEqual({
      own: 'restored',
      restored: [expect.stringContaining('vaulted.jsonl')],
    });
    // The reported counts are those of the new database, and the same as before the damage.
    const counts = rowCounts(database);
    expect(report.counts).toEqual(counts);
    const missing = yields === 'all' ? 0 : life.counts.pins - counts.pins;
    expect({ ...kinds(counts), pins: counts.pins + missing }, name).toEqual({ ...kinds(life.counts) });
    // Reading transcripts again may have added the hash of their own name.
    expect(counts.forgotten, name).toBeGreaterThanOrEqual(life.counts.forgotten);
    // The damaged file is set aside unchanged.
    expect(report.recovered).toBe(true);
    if (wasThere) expect(hashOf(report.previous as string)).toBe(before);
    // Without its log a database is sound, only older: nothing shows what it held.
    if (yields !== 'all' && !name.startsWith('a log')) expect(report.lost.length, name).toBeGreaterThan(0);
  });

  it('brings back what happened since an older copy was put in the place of the database', async () => {
    const { database, backups, context } = again();
    const older = path.join(life.folder, 'older.db');
    const [backup] = fs.readdirSync(backups);
    fs.copyFileSync(path.join(backups, backup as string), older);
    // The backup knows more than the old copy.
    const db = new Database(older);
    db.exec("DELETE FROM pins; DELETE FROM changes WHERE seq > 3; UPDATE incoming SET state = 'waiting'");
    db.close();
    for (const side of ['-wal', '-shm']) fs.rmSync(database + side, { force: true });
    fs.copyFileSync(older, database);
    const report = await recover.run(context, { dryRun: false });
    expect(report.before).toBe('sound');
    const counts = rowCounts(database);
    expect(report.counts).toEqual(counts);
    // The pin since the backup is all that is missing.
    expect({ ...kinds(counts), pins: counts.pins + 1 }).toEqual(kinds(life.counts));
    const after = await look(database);
    expect(life.entries.all.filter((id) => !after.entries.has(id))).toEqual([]);
    expect([...after.pins]).toEqual([life.pins[0]]);
    expect(after.waiting).toEqual(['And now?']);
    for (const id of life.forgotten) expect(after.entries.has(id)).toBe(false);
  });

  it('later imports bring back nothing that was forgotten or said during a pause, from transcripts or vault', async () => {
    const { database, context } = again();
    for (const side of ['', '-wal', '-shm']) fs.rmSync(database + side, { force: true });
    const { counts } = await recover.run(context, { dryRun: false });
    const store = await openSqliteStore(database);
    const deps = { ...context, store };
    for (const how of [{}, { reimport: true }, { renew: true }]) await ingest(deps, how);
    await fillVault({ ...deps, clock: Date.now }, { quietMs: 0 });
    await store.close();
    const after = await look(database);
    for (const id of life.forgotten) expect(after.entries.has(id), id).toBe(false);
    expect(after.text).not.toContain('marmot');
    expect(after.text).not.toContain(life.paused);
    expect(rowCounts(database).entries).toBe(counts.entries);
    const copies = path.join(context.config.home, 'vault');
    for (const name of fs
      .readdirSync(copies, { recursive: true, encoding: 'utf8' })
      .filter((one) => one.endsWith('.gz')))
      expect(gunzipSync(fs.readFileSync(path.join(copies, name))).toString(), name).not.toMatch(/marmot|weasel/);
  });

  it('keeps the longer copy of a transcript that was cut meanwhile, where redaction and forgetting reach it', async () => {
    const { database, context } = again();
    const { config } = context;
    const key = '-home-dev-tide/later.jsonl';
    const file = path.join(life.folder, '.claude/projects', key);
    const whole = fs.readFileSync(file, 'utf8');
    const before = await openSqliteStore(database);
    await fillVault({ store: before, config, clock: () => Date.now() + 3_600_000 });
    await before.close();
    fold(database);
    overwrite(database, 0, Buffer.alloc(pageBytes));
    fs.writeFileSync(file, `${whole.split('\n')[0]}\n`);
    await recover.run(context, { dryRun: false });
    const store = await openSqliteStore(database);
    await fillVault({ store, config, clock: () => Date.now() + 3_600_000 });
    const copies = (await store.vault.copies()).map(({ key: of }) => of).filter((of) => of.endsWith('later.jsonl'));
    expect(copies.sort()).toEqual([key, `kept/${key}`]);
    const textOf = (of: string) => gunzipSync(fs.readFileSync(copyPath(config, 'claude-code', of))).toString();
    expect(copies.map((of) => textOf(of).includes('again'))).toEqual([false, true]);
    await forget.run({ ...context, store } as Context, { id: 'later-2', dryRun: false, yes: true });
    expect(copies.map((of) => textOf(of).includes('again'))).toEqual([false, false]);
    await store.close();
    expect(await restored(database, context, 'later')).toEqual({ own: 'there', restored: [] });
  });

  it('what hooks have left in the spool stays for the worker, which takes it in', async () => {
    const { database, context } = again();
    const spool = path.join(context.config.home, 'spool');
    fs.mkdirSync(spool, { recursive: true });
    const payload = { session_id: 'later', hook_event_name: 'SessionEnd', reason: 'logout' };
    fs.writeFileSync(path.join(spool, 'claude-code.1.note'), `\n${JSON.stringify({ given: '', payload })}\n`);
    for (const side of ['', '-wal', '-shm']) fs.rmSync(database + side, { force: true });
    const report = await recover.run(context, { dryRun: false });
    expect(report.sources.spool).toBe(1);
    const store = await openSqliteStore(database);
    const { config, clock } = context;
    const complaints: unknown[] = [];
    const open = await openSpool({ store, config, clock, events: liveEvents(clock), wake: () => {} }, (error) =>
      complaints.push(error),
    );
    await open.close();
    expect(complaints).toEqual([]);
    expect(await store.sessions.state('claude-code', 'later')).toMatchObject({ endReason: 'logout' });
    expect(fs.readdirSync(spool)).toEqual([]);
    await store.close();
  });

  it('a dry run says the same, and changes nothing', async () => {
    const { database, context } = again();
    for (const side of ['', '-wal', '-shm']) fs.rmSync(database + side, { force: true });
    const names = () => fs.readdirSync(context.config.home, { recursive: true }).sort();
    const before = names();
    const planned = await recover.run(context, { dryRun: true });
    expect(planned.recovered).toBe(false);
    expect(names()).toEqual(before);
    const { counts } = await recover.run(context, { dryRun: false });
    expect(planned.counts.entries).toBe(counts.entries);
    expect(planned.sources.backup?.file).toContain('backups/auto-');
  });

  it('without a backup says that pins, groups and messages are gone', async () => {
    const { database, backups, context } = again();
    fs.rmSync(backups, { recursive: true });
    for (const side of ['', '-wal', '-shm']) fs.rmSync(database + side, { force: true });
    const report = await recover.run(context, { dryRun: false });
    expect(report.counts).toMatchObject({ pins: 0, groups: 0, forgotten: life.counts.forgotten });
    expect(report.lost.join()).toContain('there is no backup');
    const after = await look(database);
    const gone = life.entries.all.filter((id) => !after.entries.has(id));
    expect(gone).toEqual(['stranded-1', 'stranded-2']);
    for (const id of life.forgotten) expect(after.entries.has(id)).toBe(false);
  });

  it('changes nothing if it is stopped on the way', async () => {
    const { database, context } = again();
    const before = hashOf(database);
    const stop = new AbortController();
    const say = (line: string) => line.includes('vault') && stop.abort();
    await expect(
      recover.run({ ...context, say, signal: stop.signal } as Context, { dryRun: false }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(hashOf(database)).toBe(before);
    expect(fs.readdirSync(context.config.home).filter((name) => /recover|worker\.pid/.test(name))).toEqual([]);
  });

  it('changes nothing more when repeated', async () => {
    const { database, context } = again();
    fs.rmSync(database);
    const first = await recover.run(context, { dryRun: false });
    const second = await recover.run(context, { dryRun: false });
    expect(second.before).toBe('sound');
    expect(second.counts).toEqual(first.counts);
    expect(second.lost).toEqual([]);
  });
});
