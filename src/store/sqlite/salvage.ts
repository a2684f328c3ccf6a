// Copies everything readable from a damaged database into a new one: table by table, row by row, skipping unreadable
// pages. It works on a copy and never writes the damaged file.
import fs from 'node:fs';
import Database from 'better-sqlite3';
import { systemCode } from '../../system/errors.ts';
import { openSqliteStore } from './open.ts';

export interface SalvagedTable {
  readonly table: string;
  readonly rows: number;
  /** Rows that exist but were unreadable; undefined if their number is unknown. */
  readonly lost: number | undefined;
}

export interface Salvage {
  /** `foreign`: not a Holdfast database, or not a SQLite file. */
  readonly state: 'sound' | 'damaged' | 'foreign';
  readonly tables: readonly SalvagedTable[];
}

/** Tables derived from others; they are built again. */
const derived =
  /^(?:sqlite_|migrations$|facts$|vector|touched_files$|file_touches$|asking_entries$|session_changes$|changes$|jobs_to_plan$|memories$|memory_pages$|group_epoch$)|_fts/;
/** Bounds the work on a file that was damaged on purpose. */
const mostGaps = 2000;
const mostSteps = 53;

/**
 * `copy` is a copy of the database with its log beside it; this function changes it. `target` becomes a database of
 * this version. Contract: throws only if the target is not writable.
 */
export async function salvage(copy: string, target: string, signal?: AbortSignal): Promise<Salvage> {
  await (await openSqliteStore(target)).close();
  mendHeader(copy);
  let from: Database.Database | undefined;
  try {
    from = new Database(copy);
    from.unsafeMode(true);
    // Accept a schema with unreadable lines.
    from.pragma('writable_schema = ON');
    if (!hasTable(from, 'migrations') && !hasTable(from, 'entries')) return { state: 'foreign', tables: [] };
  } catch {
    from?.close();
    return { state: 'foreign', tables: [] };
  }
  const to = new Database(target);
  try {
    to.pragma('foreign_keys = OFF');
    for (const name of names(to, 'trigger')) to.exec(`DROP TRIGGER ${name}`);
    const sound = isSound(from);
    const tables: SalvagedTable[] = [];
    for (const table of names(to, 'table').filter((name) => !derived.test(name))) {
      signal?.throwIfAborted();
      tables.push(copyTable(from, to, table, sound));
      await new Promise(setImmediate);
    }
    const orphans = dropOrphans(to);
    const whole = tables.every(({ lost }) => lost === 0) && orphans === 0;
    // A transcript that may lack entries counts as partly read, so that it is read again if it still exists.
    if (!whole) to.exec('UPDATE files SET sweeping = 1');
    return { state: whole && sound ? 'sound' : 'damaged', tables };
  } finally {
    to.close();
    from.close();
  }
}

/** SQLite gives up on a missing header, or on one that promises more pages than exist. */
function mendHeader(file: string): void {
  const fd = fs.openSync(file, 'r+');
  try {
    const page = Buffer.alloc(108);
    fs.readSync(fd, page, 0, page.length, 0);
    const size = fs.fstatSync(fd).size;
    const isTree = page[100] === 0x0d || page[100] === 0x05;
    if (page.toString('latin1', 0, 15) !== 'SQLite format 3') {
      if (!isTree) return;
      page.fill(0, 0, 100);
      page.write('SQLite format 3\0', 0, 'latin1');
      page.writeUInt16BE(4096, 16);
      // Log version 2, no reserved bytes, the three fractions that SQLite requires, the newest format, UTF-8.
      for (const [at, byte] of [
        [18, 2],
        [19, 2],
        [21, 64],
        [22, 32],
        [23, 32],
        [47, 4],
        [59, 1],
      ] as const)
        page[at] = byte;
    }
    const pageSize = page.readUInt16BE(16) || 4096;
    const bytes = pageSize === 1 ? 65_536 : pageSize;
    const pages = Math.ceil(size / bytes);
    // SQLite uses the number of pages only if these two agree.
    page.writeUInt32BE(pages, 28);
    page.writeUInt32BE(page.readUInt32BE(24), 92);
    fs.writeSync(fd, page, 0, 100, 0);
    fs.ftruncateSync(fd, pages * bytes);
  } finally {
    fs.closeSync(fd);
  }
}

type Row = Record<string, unknown>;

function copyTable(from: Database.Database, to: Database.Database, table: string, sound: boolean): SalvagedTable {
  const wanted = columnsOf(to, table);
  const held = new Set(columnsOf(from, table));
  const columns = wanted.filter((name) => held.has(name));
  if (columns.length === 0) return { table, rows: 0, lost: held.size === 0 && hasTable(from, table) ? undefined : 0 };
  const put = to.prepare(
    `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
  );
  let rows = 0;
  let refused = 0;
  const state = { gaps: 0, missing: 0, unknown: false };
  to.transaction(() => {
    const all = isRowless(to, table) ? byKey(from, table, columns, state) : byRow(from, table, columns, state);
    for (const row of all)
      try {
        // Half a page of zeros still reads as a row, with a text that was never written.
        if (!sound && Object.values(row).some((value) => typeof value === 'string' && value.includes('\0'))) refused++;
        else rows += put.run(row).changes;
      } catch {
        // A damaged page may contain values that the table does not allow.
        refused++;
      }
  })();
  if (state.gaps === 0) return { table, rows, lost: refused };
  const counted = attempt(() => from.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number);
  const lost = counted !== undefined && counted >= rows ? counted - rows : state.unknown ? undefined : state.missing;
  return { table, rows, lost: lost === undefined ? undefined : lost + refused };
}

interface Gaps {
  gaps: number;
  /** The number of row ids that were skipped. */
  missing: number;
  /** The end of the table was unreadable. */
  unknown: boolean;
}

function* byRow(db: Database.Database, table: string, columns: readonly string[], state: Gaps): Generator<Row> {
  const select = `SELECT rowid AS "@row", ${columns.join(', ')} FROM ${table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid`;
  const all = attempt(() => db.prepare<[number], Row>(select));
  const one = attempt(() => db.prepare<[number], Row>(`${select} LIMIT 1`));
  if (all === undefined || one === undefined) {
    Object.assign(state, { gaps: 1, unknown: true });
    return;
  }
  const look = (at: number): number | 'end' | 'bad' => {
    try {
      const row = one.get(at);
      return row === undefined ? 'end' : (row['@row'] as number);
    } catch {
      return 'bad';
    }
  };
  let next = Number.MIN_SAFE_INTEGER;
  for (let first = true; ; first = false) {
    if (state.gaps > mostGaps) {
      state.unknown = true;
      return;
    }
    try {
      for (const { '@row': row, ...values } of all.iterate(next)) {
        yield values;
        next = (row as number) + 1;
      }
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    state.gaps++;
    if (first && next < 0) next = 0;
    const found = afterGap(next, look);
    if (found === undefined) {
      state.unknown = true;
      return;
    }
    state.missing += found - next;
    next = found;
  }
}

/** The first readable row after a gap: doubles the step each time, then narrows it down by halves. */
function afterGap(from: number, look: (at: number) => number | 'end' | 'bad'): number | undefined {
  let bad = from;
  let step = 1;
  let seen: number | 'end' | 'bad' = 'bad';
  for (let i = 0; i < mostSteps; i++, step *= 2) {
    seen = look(from + step);
    if (seen !== 'bad') break;
    bad = from + step;
  }
  if (seen === 'bad') return undefined;
  let good = from + step;
  while (good - bad > 1) {
    const middle = bad + Math.floor((good - bad) / 2);
    const there = look(middle);
    if (there === 'bad') bad = middle;
    else {
      good = middle;
      seen = there;
    }
  }
  return seen === 'end' ? undefined : seen;
}

/** Tables without row ids: reads from both ends, as far as possible. */
function* byKey(db: Database.Database, table: string, columns: readonly string[], state: Gaps): Generator<Row> {
  const keys = (db.pragma(`table_info(${table})`) as { name: string; pk: number }[])
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map(({ name }) => name);
  for (const way of ['ASC', 'DESC']) {
    try {
      const order = keys.map((name) => `${name} ${way}`).join(', ');
      yield* db.prepare<[], Row>(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${order}`).iterate();
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
      state.gaps++;
      state.unknown = true;
    }
  }
}

/** Columns that an export parses as JSON. */
const jsonColumns = {
  files: ['state'],
  entries: ['tools'],
  tool_uses: ['files'],
  extractions: ['json'],
  statements: ['tags'],
  observations: ['facts', 'concepts', 'files_read', 'files_modified', 'tools'],
  summaries: ['files_read', 'files_modified', 'commits'],
  past_summaries: ['json'],
} as const;

/** Deletes rows that refer to lost rows. Returns how many. */
function dropOrphans(db: Database.Database): number {
  let dropped = 0;
  const loose = [
    'UPDATE entries SET conversation_id = NULL WHERE conversation_id NOT IN (SELECT id FROM conversations)',
    'UPDATE sessions SET project_id = NULL WHERE project_id NOT IN (SELECT id FROM projects)',
    'UPDATE file_sessions SET project_id = NULL WHERE project_id NOT IN (SELECT id FROM projects)',
    'UPDATE spending SET session_id = NULL WHERE session_id NOT IN (SELECT id FROM sessions)',
  ];
  for (const sql of loose) db.exec(sql);
  for (const [table, columns] of Object.entries(jsonColumns))
    for (const column of columns)
      dropped += db
        .prepare(`DELETE FROM ${table} WHERE ${column} IS NOT NULL AND NOT json_valid(${column})`)
        .run().changes;
  for (let before = -1; before !== dropped; ) {
    before = dropped;
    for (const table of names(db, 'table'))
      for (const { from, table: parent } of db.pragma(`foreign_key_list(${table})`) as {
        from: string;
        table: string;
      }[]) {
        if (/^(?:vector|jobs_to_plan)/.test(table)) continue;
        dropped += db
          .prepare(`DELETE FROM ${table} WHERE ${from} IS NOT NULL AND ${from} NOT IN (SELECT rowid FROM ${parent})`)
          .run().changes;
      }
  }
  return dropped;
}

const isSound = (db: Database.Database): boolean =>
  attempt(() => (db.pragma('quick_check(1)') as { quick_check: string }[])[0]?.quick_check === 'ok') === true;

const isDamage = (error: unknown): boolean => systemCode(error)?.startsWith('SQLITE_') === true;

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

const names = (db: Database.Database, type: 'table' | 'trigger'): string[] =>
  db.prepare<[string], string>('SELECT name FROM sqlite_master WHERE type = ? ORDER BY name').pluck().all(type);

/** Assumes that the table exists when unsure. */
const hasTable = (db: Database.Database, name: string): boolean => {
  const sql = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?";
  return attempt(() => db.prepare<[string], number>(sql).pluck().get(name)) !== 0;
};

const columnsOf = (db: Database.Database, table: string): string[] =>
  (attempt(() => db.pragma(`table_info(${table})`) as { name: string }[]) ?? []).map(({ name }) => name);

const isRowless = (db: Database.Database, table: string): boolean =>
  /WITHOUT ROWID\s*$/i.test(
    String(db.prepare("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?").pluck().get(table)),
  );
