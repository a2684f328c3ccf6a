// Everything that a database holds, without row ids: two imports are equal when these rows are.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { Place } from './holdfast.ts';
import { filesBelow } from './transcripts.ts';

/** A readable key for each table's rows, for the columns that refer to them by id. */
const names: Readonly<Record<string, string>> = {
  projects: 'SELECT path FROM projects WHERE id = $id',
  files: "SELECT agent || ' ' || key FROM files WHERE id = $id",
  sessions: "SELECT agent || ' ' || session FROM sessions WHERE id = $id",
  entries: 'SELECT uuid FROM entries WHERE id = $id',
  tool_uses: "SELECT e.uuid || ' ' || u.use_id FROM tool_uses u JOIN entries e ON e.id = u.entry_id WHERE u.id = $id",
  touched_files: 'SELECT path FROM touched_files WHERE id = $id',
  vector_models: 'SELECT name FROM vector_models WHERE id = $id',
  conversations: `SELECT f.agent || ' ' || f.key || ' ' || c.first_pos FROM conversations c JOIN files f ON f.id = c.file_id WHERE c.id = $id`,
  observations: 'SELECT uid FROM observations WHERE id = $id',
  extractions: "SELECT agent || ' ' || file || ' ' || first_pos FROM extractions WHERE id = $id",
};

export type Rows = ReadonlyMap<string, readonly string[]>;

/**
 * A growing file is read in different pieces than a complete one, and the hash of its end may cover fewer bytes. A worker reads texts
 * closely in the background, so the content of a vector, and whether passages of the text have one, depends on its progress. That each
 * text has a vector does not.
 */
export const growing = { without: ['files.tail', 'vectors.vector', 'vectors.rough'], passages: false } as const;

interface Compared {
  readonly without?: readonly string[];
  readonly passages?: boolean;
}

/** The tables left out say how far background work has come, such as counting the tokens of sessions. */
export function rowsOf(database: string, { without = [], passages = true }: Compared = {}): Rows {
  const db = new Database(database, { readonly: true, fileMustExist: true });
  try {
    const tables = db
      .prepare(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
           AND name NOT LIKE '%!_fts%' ESCAPE '!' AND name NOT IN ('migrations', 'facts', 'session_changes', 'changes', 'jobs', 'jobs_to_plan', 'spending', 'imports', 'vault_copies', 'group_epoch', 'session_usage') ORDER BY name`,
      )
      .pluck()
      .all() as string[];
    const part = (table: string) => (table === 'vectors' && !passages ? 'WHERE t.part = 0' : '');
    const rows = new Map(tables.map((table) => [table, tableRows(db, table, without, part(table))]));
    rows.set('search index', indexRows(db, 'entries_fts'));
    rows.set('index of tool uses', indexRows(db, 'uses_fts'));
    return rows;
  } finally {
    db.close();
  }
}

function tableRows(db: Database.Database, table: string, without: readonly string[], part: string): string[] {
  const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const links = db.pragma(`foreign_key_list(${table})`) as { table: string; from: string }[];
  const selected = columns.flatMap((column) => {
    // Triggers maintain these tables, which refer to entries without a foreign key.
    const link = ['asking_entries', 'unindexed_uses'].includes(table)
      ? { table: 'entries' }
      : links.find(({ from }) => from === column);
    if (link !== undefined) {
      const name = names[link.table];
      if (name === undefined) throw new Error(`rows.ts has no name for rows of ${link.table}`);
      return [`(${name.replace('$id', `t.${column}`)}) AS ${column}`];
    }
    if (without.includes(`${table}.${column}`)) return [];
    // Name what a vector belongs to by kind and row. The order of the vectors may differ.
    if (column === 'subject_id')
      return ['(SELECT uuid FROM entries WHERE t.kind = 0 AND id = t.subject_id) AS subject'];
    if (column === 'vector') return ['hex(t.vector) AS vector'];
    if (column === 'seq' || column === 'stamp') return [];
    if (column === 'id') return [];
    // How often a file was read from the start may differ. Whether a row belongs to the last read may not.
    if (column === 'generation')
      return table === 'files'
        ? []
        : ['t.generation = (SELECT generation FROM files WHERE id = t.file_id) AS generation'];
    // Whether a folder was looked at yet may differ. What was found there may not.
    if (table === 'projects' && column === 'repository') return ["nullif(t.repository, '') AS repository"];
    return [`t.${column}`];
  });
  const sql = `SELECT ${selected.join(', ')} FROM ${table} t ${part}`;
  return (db.prepare(sql).all() as object[]).map((row) => JSON.stringify(row)).sort();
}

/** For each term its number of entries and of occurrences, and which entries are indexed. */
function indexRows(db: Database.Database, index: 'entries_fts' | 'uses_fts'): string[] {
  db.exec(`CREATE VIRTUAL TABLE temp.terms_of_${index} USING fts5vocab('main', '${index}', 'row')`);
  const terms = db.prepare(`SELECT term, doc, cnt FROM temp.terms_of_${index} ORDER BY term`).raw().all();
  const indexed = db
    .prepare(`SELECT e.uuid FROM ${index}_docsize d LEFT JOIN entries e ON e.id = d.id ORDER BY e.uuid`)
    .pluck()
    .all();
  return [...terms, ...indexed].map((row) => JSON.stringify(row));
}

export const digest = (rows: Rows): string =>
  createHash('sha256')
    .update(JSON.stringify([...rows]))
    .digest('hex');

/** Names a few rows that differ instead of printing two databases. */
export function expectSameRows(actual: Rows, expected: Rows, note: string): void {
  if (digest(actual) === digest(expected)) return;
  const differences: string[] = [];
  for (const table of new Set([...actual.keys(), ...expected.keys()])) {
    const [mine, theirs] = [counted(actual.get(table)), counted(expected.get(table))];
    for (const [row, n] of mine)
      if (n > (theirs.get(row) ?? 0)) differences.push(`+ ${table} ×${n} ${row.slice(0, 600)}`);
    for (const [row, n] of theirs)
      if (n > (mine.get(row) ?? 0)) differences.push(`- ${table} ×${n} ${row.slice(0, 600)}`);
  }
  expect.fail(
    `${note}: ${differences.length} rows differ (+ only here, - missing)\n${differences.slice(0, 12).join('\n')}`,
  );
}

function counted(rows: readonly string[] = []): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
}

/** Size of the database in bytes, including the write-ahead log. */
export const sizeOf = ({ database }: Place): number =>
  ['', '-wal'].reduce((sum, side) => sum + (statSync(database + side, { throwIfNoEntry: false })?.size ?? 0), 0);

/** Whether the stored offset of every file equals its size, no conversation waits for the next poll, and no text waits for its vector. */
export function caughtUp(own: Place): boolean {
  const db = new Database(own.database, { readonly: true });
  try {
    const offsets = new Map(db.prepare<[], [string, number]>('SELECT key, offset FROM files').raw().all());
    const active = db.prepare("SELECT count(*) FROM conversations WHERE status = 'active'").pluck().get();
    const unembedded = db.prepare('SELECT count(*) FROM vector_queue').pluck().get();
    const all = [own.claude, own.pi]
      .filter((root) => existsSync(root))
      .flatMap((root) => filesBelow(root).map((file) => ({ root, file })));
    const open = all.filter(({ root, file }) => offsets.get(path.relative(root, file)) !== statSync(file).size);
    return open.length === 0 && active === 0 && unembedded === 0;
  } finally {
    db.close();
  }
}

/** Expects each hash of a file's end, `<length>:<hash>`, to match the bytes before the offset. */
export function expectTailsOf(own: Place): void {
  const db = new Database(own.database, { readonly: true });
  try {
    for (const { agent, key, offset, tail } of db
      .prepare<[], { agent: string; key: string; offset: number; tail: string }>(
        'SELECT agent, key, offset, tail FROM files',
      )
      .all()) {
      const length = Number.parseInt(tail, 10);
      const bytes = readFileSync(path.join(agent === 'pi' ? own.pi : own.claude, key)).subarray(
        offset - length,
        offset,
      );
      expect(`${length}:${createHash('sha1').update(bytes).digest('base64url')}`, key).toBe(tail);
    }
  } finally {
    db.close();
  }
}
