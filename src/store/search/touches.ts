// The files that tools used: written with each tool use, found by file name, newest first.

import path from 'node:path';
import type { AgentName } from '../../schema/agent-name.ts';
import { type EntryRow, entryColumns, toEntry } from '../entries/rows.ts';
import { sessionConditions, titleOfSession } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { matchExpression } from './keywords.ts';
import type { FileTouch, SearchPort } from './port.ts';

/** Records the files of one tool use, in the caller's transaction. */
export function touchWriting(connection: Connection) {
  const findFile = connection.statement<[string], number>('SELECT id FROM touched_files WHERE path = ?').pluck();
  const addFile = connection.statement('INSERT INTO touched_files (path, name) VALUES (?, ?)');
  const addTouch = connection.statement(
    'INSERT INTO file_touches (touched_id, at, tool_use_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const drop = connection.statement('DELETE FROM file_touches WHERE tool_use_id = ?');
  function add(use: number | bigint, at: number, files: readonly string[]): void {
    for (const file of files) {
      const id = findFile.get(file) ?? addFile.run(file, path.posix.basename(file)).lastInsertRowid;
      addTouch.run(id, at, use);
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

/** The last prompt before an entry: by position in the same transcript; for a subagent's entry, by time. */
const promptBefore = `coalesce(
  (SELECT p.uuid FROM entries p WHERE p.session_id = e.session_id AND p.author = 'person' AND p.file_id = e.file_id
     AND p.pos <= e.pos ORDER BY p.pos DESC LIMIT 1),
  (SELECT p.uuid FROM entries p WHERE p.session_id = e.session_id AND p.author = 'person' AND p.at <= e.at
     ORDER BY p.pos DESC LIMIT 1))`;

/**
 * Selects the newest touches before reading anything else about them. Joins
 * entries and sessions only if a condition needs them.
 */
const touchSql = (conditions: readonly string[]): string => `
  SELECT ${entryColumns}, l.path AS file, t.tool, t.outcome = 'error' AS failed, s.cwd, coalesce(p.label, p.name) AS project, ${titleOfSession},
    ${promptBefore} AS prompt
  FROM (
    SELECT f.path, x.at, x.tool_use_id FROM json_each(?) j CROSS JOIN touched_files f ON f.path = j.value
    CROSS JOIN file_touches x ON x.touched_id = f.id ${
      conditions.some((condition) => !condition.startsWith('x.'))
        ? 'CROSS JOIN tool_uses t ON t.id = x.tool_use_id CROSS JOIN entries e ON e.id = t.entry_id CROSS JOIN sessions s ON s.id = e.session_id'
        : ''
    }
    ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY x.at DESC, x.tool_use_id DESC LIMIT ?
  ) l CROSS JOIN tool_uses t ON t.id = l.tool_use_id CROSS JOIN entries e ON e.id = t.entry_id
  CROSS JOIN sessions s ON s.id = e.session_id LEFT JOIN projects p ON p.id = s.project_id
  ORDER BY l.at DESC, t.id DESC`;

/** The range from one prompt to the next in the same transcript. */
const stretchSql = `
  SELECT file_id, first, next, (SELECT min(id) FROM entries WHERE file_id = x.file_id AND pos >= first AND pos < next) AS low,
    (SELECT max(id) FROM entries WHERE file_id = x.file_id AND pos >= first AND pos < next) AS high
  FROM (SELECT e.file_id,
      coalesce((SELECT max(p.pos) FROM entries p WHERE p.session_id = e.session_id AND p.author = 'person'
        AND p.file_id = e.file_id AND p.pos <= e.pos), 0) AS first,
      coalesce((SELECT min(p.pos) FROM entries p WHERE p.session_id = e.session_id AND p.author = 'person'
        AND p.file_id = e.file_id AND p.pos > e.pos), 9e15) AS next
    FROM entries e WHERE e.uuid = ?) x`;

interface Stretch {
  readonly file_id: number;
  readonly first: number;
  readonly next: number;
  readonly low: number;
  readonly high: number;
}

/** Without a rank, because ranking would visit all entries with the words. The index finds a range of ids at once. */
const inStretchSql = `
  SELECT ${entryColumns} FROM entries_fts f CROSS JOIN entries e ON e.id = f.rowid CROSS JOIN sessions s ON s.id = e.session_id
  WHERE entries_fts MATCH @match AND f.rowid BETWEEN @low AND @high
    AND e.file_id = @file_id AND e.pos >= @first AND e.pos < @next LIMIT 5`;

export function touchSearch(
  connection: Connection,
): Pick<SearchPort, 'touchedFiles' | 'sessionsTouching' | 'fileTouches' | 'turnMatches'> {
  const { read: run } = connection;
  const files = connection.statement<[string], string>('SELECT path FROM touched_files WHERE name = ?').pluck();
  const touching = connection.statement<[string], { agent: AgentName; session: string; file: string; cwd: string }>(
    `SELECT DISTINCT s.agent, s.session, f.path AS file, coalesce(s.cwd, '') AS cwd
     FROM json_each(?) j CROSS JOIN touched_files f ON f.path = j.value CROSS JOIN file_touches x ON x.touched_id = f.id
     CROSS JOIN tool_uses t ON t.id = x.tool_use_id CROSS JOIN entries e ON e.id = t.entry_id
     CROSS JOIN sessions s ON s.id = e.session_id`,
  );
  const stretch = connection.statement<[string], Stretch>(stretchSql);
  const within = connection.statement<Stretch & { match: string }, EntryRow>(inStretchSql);
  return {
    async touchedFiles(name) {
      return run(() => files.all(name));
    },
    async sessionsTouching(paths) {
      return run(() => touching.all(JSON.stringify(paths)));
    },
    async fileTouches(paths, filter) {
      return run(() => {
        const { where, values } = sessionConditions(connection, filter);
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
        const rows = connection
          .statement(touchSql(where))
          .all(JSON.stringify(paths), ...values, filter.limit) as TouchRow[];
        return rows.map(toTouch);
      });
    },
    async turnMatches(query, entry) {
      const match = matchExpression(query);
      return run(() => {
        const turn = match === '' ? undefined : stretch.get(entry);
        return turn === undefined ? [] : within.all({ ...turn, match }).map(toEntry);
      });
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
