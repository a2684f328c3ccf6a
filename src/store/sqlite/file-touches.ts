// Which files tools were used on: written with each tool use, found by the file's name, newest first.
import path from 'node:path';
import type { Database } from 'better-sqlite3';
import type { FileTouch, Store } from '../store.ts';
import { type EntryRow, entryColumns, sessionConditions, toEntry } from './read.ts';
import { matchExpression } from './search.ts';

type Run = <T>(work: () => T) => T;

/** Notes the files of one tool use; called in the caller's transaction. */
export function touchWriting(db: Database) {
  const addFile = db.prepare('INSERT INTO touched_files (path, name) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const addTouch = db.prepare(
    `INSERT INTO file_touches (touched_id, at, tool_use_id) SELECT id, ?, ? FROM touched_files WHERE path = ?
     ON CONFLICT DO NOTHING`,
  );
  const drop = db.prepare('DELETE FROM file_touches WHERE tool_use_id = ?');
  function add(use: number | bigint, at: number, files: readonly string[]): void {
    for (const file of files) {
      addFile.run(file, path.posix.basename(file));
      addTouch.run(at, use, file);
    }
  }
  function renew(use: number | bigint, at: number, files: readonly string[]): void {
    drop.run(use);
    add(use, at, files);
  }
  return { add, renew };
}

type TouchRow = EntryRow & {
  file: string;
  tool: string;
  failed: number | null;
  cwd: string | null;
  project: string | null;
  title: string | null;
  prompt: string | null;
};

/** The last prompt before an entry: in the same transcript, or in time for what a subagent did. */
const promptBefore = `coalesce(
  (SELECT p.uuid FROM entries p WHERE p.session_id = e.session_id AND p.author = 'person' AND p.file_id = e.file_id
     AND p.pos <= e.pos ORDER BY p.pos DESC LIMIT 1),
  (SELECT p.uuid FROM entries p WHERE p.session_id = e.session_id AND p.author = 'person' AND p.at <= e.at
     ORDER BY p.pos DESC LIMIT 1))`;

/** The newest are chosen before anything of them is read. */
const touchSql = (conditions: readonly string[]): string => `
  SELECT ${entryColumns}, l.path AS file, t.tool, t.outcome = 'error' AS failed, s.cwd, p.name AS project, s.title,
    ${promptBefore} AS prompt
  FROM (
    SELECT f.path, x.at, x.tool_use_id FROM json_each(?) j CROSS JOIN touched_files f ON f.path = j.value
    CROSS JOIN file_touches x ON x.touched_id = f.id CROSS JOIN tool_uses t ON t.id = x.tool_use_id
    CROSS JOIN entries e ON e.id = t.entry_id CROSS JOIN sessions s ON s.id = e.session_id
    ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY x.at DESC, t.id DESC LIMIT ?
  ) l CROSS JOIN tool_uses t ON t.id = l.tool_use_id CROSS JOIN entries e ON e.id = t.entry_id
  CROSS JOIN sessions s ON s.id = e.session_id LEFT JOIN projects p ON p.id = s.project_id
  ORDER BY l.at DESC, t.id DESC`;

/** The entries around each of the given ones, from one prompt to the next in the same transcript, that hold the words. */
const turnSql = `
  WITH asked AS MATERIALIZED (
    SELECT e.uuid, e.file_id, e.session_id,
      coalesce((SELECT max(p.pos) FROM entries p WHERE p.session_id = e.session_id AND p.author = 'person'
        AND p.file_id = e.file_id AND p.pos <= e.pos), 0) AS first,
      coalesce((SELECT min(p.pos) FROM entries p WHERE p.session_id = e.session_id AND p.author = 'person'
        AND p.file_id = e.file_id AND p.pos > e.pos), 9e15) AS next
    FROM json_each(?) j CROSS JOIN entries e ON e.uuid = j.value),
  around AS MATERIALIZED (
    SELECT a.uuid AS asked, e.id FROM asked a CROSS JOIN entries e ON e.file_id = a.file_id AND e.pos >= a.first AND e.pos < a.next)
  SELECT ${entryColumns}, a.asked, m.score FROM around a
  JOIN (SELECT f.rowid, bm25(entries_fts) AS score FROM entries_fts f
        WHERE entries_fts MATCH ? AND +f.rowid IN (SELECT id FROM around)) m ON m.rowid = a.id
  JOIN entries e ON e.id = a.id JOIN sessions s ON s.id = e.session_id ORDER BY m.score DESC`;

export function fileTouches(db: Database, run: Run): Pick<Store, 'touchedFiles' | 'fileTouches' | 'turnMatches'> {
  const files = db.prepare<[string], string>('SELECT path FROM touched_files WHERE name = ?').pluck();
  const turns = db.prepare<[string, string], EntryRow & { asked: string }>(turnSql);
  return {
    async touchedFiles(name) {
      return run(() => files.all(name));
    },
    async fileTouches(paths, filter) {
      return run(() => {
        const { where, values } = sessionConditions(db, filter);
        const wishes: [string, string | number | undefined][] = [
          ['e.role = ?', filter.role],
          ['x.at >= ?', filter.since],
          ['x.at < ?', filter.until],
        ];
        for (const [condition, value] of wishes) {
          if (value === undefined) continue;
          where.push(condition);
          values.push(value);
        }
        if (filter.subagents !== true) where.push('e.subagent IS NULL');
        const rows = db.prepare(touchSql(where)).all(JSON.stringify(paths), ...values, filter.limit) as TouchRow[];
        return rows.map(toTouch);
      });
    },
    async turnMatches(query, entries) {
      const match = matchExpression(query);
      if (match === '') return new Map();
      // The best comes last, and stays.
      return run(() => new Map(turns.all(JSON.stringify(entries), match).map((row) => [row.asked, toEntry(row)])));
    },
  };
}

const toTouch = (row: TouchRow): FileTouch => ({
  file: row.file,
  tool: row.tool,
  failed: row.failed === 1,
  entry: toEntry(row),
  cwd: row.cwd ?? '',
  project: row.project ?? '',
  title: row.title ?? '',
  ...(row.prompt === null ? {} : { prompt: row.prompt }),
});
