// Exports everything that is not derived, line by line, from one snapshot.
// Uses its own connection, so that no other process waits.

import Database from 'better-sqlite3';
import type { ExportedLine, ExportedRow } from '../../schema/exported.ts';
import { everyone } from '../../schema/group.ts';
import { parseState } from '../../schema/reader-state.ts';
import { explain } from '../../system/errors.ts';
import type { SessionFilter, SessionKey } from '../sessions/port.ts';
import { sessionConditions } from '../sessions/rows.ts';
import { statementsOf } from '../sqlite/connection.ts';
import type { TransferPort } from './port.ts';

type Row = Record<string, unknown>;
const parsed = (json: unknown): unknown => JSON.parse(json as string);

/** Rows whose query names the columns as the exported line does. */
interface Kind {
  readonly is: ExportedLine['is'];
  readonly sql: string;
  /** Columns with JSON, and columns with booleans. */
  readonly json?: readonly string[];
  readonly flags?: readonly string[];
}

/** Rows that belong to sessions. `wanted` holds the sessions to export. */
const ofSessions: readonly Kind[] = [
  {
    is: 'state',
    sql: `SELECT t.agent, t.session, t.status, t.prompts, t.prompt_id AS promptId, t.end_reason AS endReason, t.last_user AS lastUser,
      t.last_assistant AS lastAssistant, t.updated_at AS updatedAt FROM session_states t JOIN wanted w ON w.agent = t.agent AND w.session = t.session`,
  },
  {
    is: 'label',
    sql: `SELECT l.agent, l.session, l.name, l.starred, l.tags, l.at FROM session_labels l JOIN wanted w ON w.agent = l.agent AND w.session = l.session`,
    json: ['tags'],
    flags: ['starred'],
  },
  {
    is: 'conversation',
    sql: `SELECT f.agent, f.key AS file, c.first_pos AS firstPos,
      CASE WHEN c.status IN ('queued', 'processing') THEN 'ready' ELSE c.status END AS status, c.reason, c.attempts
      FROM conversations c JOIN files f ON f.id = c.file_id JOIN wanted w ON w.id = c.session_id`,
  },
  {
    is: 'observation',
    sql: `SELECT w.agent, w.session, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000.0, 'unixepoch') AS at, d.prompt, d.type, d.title, d.subtitle,
      d.facts, d.narrative, d.concepts, d.files_read AS filesRead, d.files_modified AS filesModified, d.tools, d.by, d.tokens,
      (SELECT json_group_array(uuid) FROM (SELECT e.uuid FROM observation_entries x JOIN entries e ON e.id = x.entry_id
        WHERE x.observation_id = d.id ORDER BY x.place)) AS entries FROM observations d JOIN wanted w ON w.id = d.session_id`,
    json: ['facts', 'concepts', 'filesRead', 'filesModified', 'tools', 'entries'],
  },
  {
    is: 'summary',
    sql: `SELECT w.agent, w.session, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000.0, 'unixepoch') AS at, d.prompts, d.title, d.request,
      d.investigated, d.learned, d.completed, d.outcome, d.next_steps AS nextSteps, d.notes, d.files_read AS filesRead,
      d.files_modified AS filesModified, d.commits, d.by, d.tokens,
      (SELECT json_group_array(json(json)) FROM (SELECT json FROM past_summaries x
        WHERE x.session_id = d.session_id AND json_valid(x.json) ORDER BY x.prompts)) AS past
      FROM summaries d JOIN wanted w ON w.id = d.session_id`,
    json: ['filesRead', 'filesModified', 'commits', 'past'],
  },
  {
    is: 'job',
    sql: `SELECT w.agent, w.session, j.kind, CASE j.kind WHEN 'remember' THEN c.first_pos ELSE j.subject END AS subject, f.key AS file,
      j.version, j.status, j.material_at AS at, j.attempts, j.error, j.by, j.tokens, j.updated_at AS updatedAt
      FROM jobs j JOIN wanted w ON w.id = j.session_id LEFT JOIN conversations c ON j.kind = 'remember' AND c.id = j.subject
      LEFT JOIN files f ON f.id = c.file_id
      WHERE j.status IN ('done', 'failed', 'cancelled') AND (j.kind <> 'remember' OR c.id IS NOT NULL)`,
  },
  {
    is: 'extraction',
    sql: `SELECT x.agent, x.session, x.file, x.first_pos AS firstPos, x.first_at AS firstAt, x.last_at AS lastAt, x.project, x.by, x.json
      FROM extractions x JOIN wanted w ON w.agent = x.agent AND w.session = x.session`,
  },
];

const ofEverything: readonly Kind[] = [
  { is: 'link', sql: 'SELECT old_path AS "from", new_path AS "to" FROM project_links' },
  { is: 'pause', sql: 'SELECT from_at AS "from", until_at AS "until" FROM pauses' },
  {
    is: 'statement',
    sql: `SELECT page, target, kind, at, ordinal AS "order", title, key, text, why, project, session, source, said_by AS "saidBy", tags, promoted_from AS "from"
      FROM statements WHERE extraction_id IS NULL ORDER BY id`,
    json: ['tags'],
  },
  {
    is: 'edit',
    sql: 'SELECT page, target, kind, text, tight, front, anchor, section, before, at FROM memory_edits ORDER BY id',
    flags: ['tight', 'front'],
  },
  { is: 'merge', sql: 'SELECT page, target, into_target AS "into", at FROM memory_merges' },
  { is: 'pin', sql: 'SELECT kind, id, agent, mark, at FROM pins' },
  { is: 'group-session', sql: 'SELECT agent, session, group_name AS "group" FROM group_sessions' },
  {
    is: 'group',
    sql: 'SELECT name, created_at AS createdAt, agent, session, resume_at AS resumeAt, since FROM groups',
  },
  {
    is: 'bookmark',
    sql: `SELECT agent, session, group_name AS "group", name, created_at AS createdAt, archived_at AS archivedAt
      FROM bookmarks ORDER BY id`,
  },
  {
    is: 'task',
    sql: `SELECT t.group_name AS "group", g.created_at AS groupCreatedAt,
      row_number() OVER (PARTITION BY t.group_name, t.created_at ORDER BY t.id) AS nth, t.prompt, t.kind, t.due AS "when",
      t.time_zone AS timeZone, t.context, t.state, t.created_at AS createdAt, t.next_at AS nextAt, t.last_at AS lastAt
      FROM tasks t JOIN groups g ON g.name = t.group_name ORDER BY t.id`,
  },
  {
    // Messages that already had output are not exported, so they are not answered twice.
    is: 'message',
    sql: `SELECT m.group_name AS "group", g.created_at AS groupCreatedAt,
      row_number() OVER (PARTITION BY m.group_name, m.arrived_at, m.sender ORDER BY m.id) AS nth, m.text, m.sender AS "from",
      m.arrived_at AS arrivedAt, CASE m.state WHEN 'handed' THEN 'waiting' ELSE m.state END AS state, m.attempts
      FROM incoming m JOIN groups g ON g.name = m.group_name WHERE m.state <> 'answered' AND m.output = 0 ORDER BY m.id`,
  },
  { is: 'briefing', sql: 'SELECT agent, session, project, at, source, text FROM briefings ORDER BY id' },
];

/** Tombstones are part of every export. */
const always: readonly Kind[] = [
  { is: 'tombstone', sql: 'SELECT print, at FROM tombstones ORDER BY seq' },
  { is: 'memory-tombstone', sql: 'SELECT print FROM memory_tombstones' },
];

const filesSql = `SELECT e.file_id AS id FROM wanted w JOIN entries e ON e.session_id = w.id
  UNION SELECT c.file_id FROM wanted w JOIN entry_copies c ON c.session_id = w.id ORDER BY 1`;
const placesSql = `
  SELECT e.id, e.uuid, e.session_id, e.pos, e.at, e.role, e.author, e.form, e.text, e.tools, e.joins_at AS joinsAt, e.subagent FROM entries e WHERE e.file_id = @file
  UNION ALL SELECT e.id, e.uuid, c.session_id, c.pos, e.at, e.role, c.author, e.form, e.text, e.tools, c.joins_at, e.subagent FROM entry_copies c
    JOIN entries e ON e.id = c.entry_id WHERE c.file_id = @file ORDER BY 4, 5, 2`;

export function exporting(location: string): Pick<TransferPort, 'exported'> {
  return {
    async exported(filter) {
      try {
        const db = new Database(location, { readonly: true, fileMustExist: true, timeout: 5000 });
        // The snapshot begins with the first read.
        db.exec('BEGIN');
        const wanted = wantedIn(db, filter);
        const all = async function* () {
          try {
            yield* lines(db, wanted);
          } catch (error) {
            throw explain(error, `the database ${location}`);
          } finally {
            db.close();
          }
        };
        return { counts: countsOf(db, wanted), lines: all() };
      } catch (error) {
        throw explain(error, `the database ${location}`);
      }
    },
  };
}

interface Wanted {
  readonly whole: boolean;
  /** The rows of the sessions. */
  readonly ids: ReadonlySet<number>;
  readonly files: readonly number[];
  /** A query that can use `wanted`. */
  within(sql: string): { all(): unknown[]; iterate(): Iterable<unknown> };
}

function wantedIn(db: Database.Database, filter: Pick<SessionFilter, 'project' | 'since'>): Wanted {
  const whole = filter.project === undefined && filter.since === undefined;
  const { where, values } = sessionConditions(statementsOf(db), { ...filter, group: everyone });
  if (filter.since !== undefined) {
    where.push('s.ended_at >= ?');
    values.push(filter.since);
  }
  const of = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '';
  const ids = db
    .prepare(`SELECT s.id FROM sessions s${of}`)
    .pluck()
    .all(...values) as number[];
  return wantedRows(db, ids, whole);
}

function wantedRows(db: Database.Database, ids: readonly number[], whole: boolean): Wanted {
  const wanted = 'SELECT s.id, s.agent, s.session FROM json_each(@ids) j JOIN sessions s ON s.id = j.value';
  const within = (sql: string) => {
    const statement = db.prepare(`WITH wanted AS MATERIALIZED (${wanted}) ${sql}`);
    const given = { ids: JSON.stringify(ids) };
    return { all: () => statement.all(given), iterate: () => statement.iterate(given) as Iterable<unknown> };
  };
  // Files without entries are exported too, so that they need not be read again.
  const files = whole ? db.prepare('SELECT id FROM files ORDER BY id').all() : within(filesSql).all();
  return { whole, ids: new Set(ids), files: (files as { id: number }[]).map(({ id }) => id), within };
}

/** The lines of these sessions for a hub, which shares the last summary alone. Contract: the caller has begun a transaction on the connection, and closes it. */
export function* sessionLinesIn(db: Database.Database, sessions: readonly SessionKey[]): Generator<ExportedLine> {
  const find = db.prepare<[string, string], number>('SELECT id FROM sessions WHERE session = ? AND agent = ?').pluck();
  const ids = sessions.flatMap(({ agent, session }) => find.get(session, agent) ?? []);
  const wanted = wantedRows(db, ids, false);
  yield* fileLinesOf(db, wanted);
  for (const line of told(ofSessions, (sql) => wanted.within(sql).iterate())) {
    if (line.is === 'summary') delete line.past;
    yield line;
  }
}

/** Rows of pages that do not come from conversations. */
export function* memoryLinesIn(db: Database.Database): Generator<ExportedRow> {
  const kinds = ofEverything.filter(({ is }) => is === 'statement' || is === 'edit' || is === 'merge');
  yield* told(kinds, (sql) => db.prepare(sql).all()) as Generator<ExportedRow>;
}

function countsOf(db: Database.Database, { whole, files, within }: Wanted): Record<string, number> {
  const counts: Record<string, number> = { file: files.length };
  const count = (rows: unknown[]) => (rows[0] as { n: number }).n;
  for (const { is, sql } of [...always, ...(whole ? ofEverything : [])])
    counts[is] = count(db.prepare(`SELECT count(*) AS n FROM (${sql})`).all());
  for (const { is, sql } of ofSessions) counts[is] = count(within(`SELECT count(*) AS n FROM (${sql})`).all());
  counts.entry = ['entries', 'entry_copies']
    .map((table) => count(within(`SELECT count(*) AS n FROM ${table} e JOIN wanted w ON w.id = e.session_id`).all()))
    .reduce((sum, n) => sum + n, 0);
  return counts;
}

function* told(kinds: readonly Kind[], rowsOf: (sql: string) => Iterable<unknown>): Generator<ExportedLine> {
  for (const { is, sql, json = [], flags = [] } of kinds)
    for (const row of rowsOf(sql) as Iterable<Row>) {
      for (const name of json) row[name] = parsed(row[name]);
      for (const name of flags) row[name] = row[name] === 1;
      yield { is, ...row } as ExportedLine;
    }
}

function* lines(db: Database.Database, wanted: Wanted): Generator<ExportedLine> {
  yield* told(always, (sql) => db.prepare(sql).iterate() as Iterable<unknown>);
  if (wanted.whole) yield* told(ofEverything, (sql) => db.prepare(sql).iterate() as Iterable<unknown>);
  yield* fileLinesOf(db, wanted);
  yield* told(ofSessions, (sql) => wanted.within(sql).iterate());
}

function* fileLinesOf(db: Database.Database, wanted: Wanted): Generator<ExportedLine> {
  const statements = fileStatements(db);
  for (const id of wanted.files) yield* fileLines(statements, id, wanted);
}

/** Compiled once: an export reads thousands of files, most of them small. */
function fileStatements(db: Database.Database) {
  const { statement } = statementsOf(db);
  return {
    file: statement<[number], Row & { sweeping: number }>(
      `SELECT agent, key, subagent, offset, lines, head, tail, state, born_at AS bornAt, malformed, status, error, reader, sweeping
       FROM files WHERE id = ?`,
    ),
    copies: statement<[number]>('SELECT root, size FROM file_copies WHERE file_id = ?'),
    sessions: statement<[number], Row & { id: number }>(
      `SELECT s.id, s.session, x.cwd, p.path AS project, x.title, x.title_by AS titleBy FROM file_sessions x JOIN sessions s ON s.id = x.session_id
       LEFT JOIN projects p ON p.id = x.project_id WHERE x.file_id = ? ORDER BY s.session`,
    ),
    name: statement<[number], string>('SELECT session FROM sessions WHERE id = ?').pluck(),
    facts: statement<[number, number]>(
      'SELECT kind, value, pos FROM session_facts WHERE file_id = ? AND session_id = ? ORDER BY kind, pos, value',
    ),
    places: statement<{ file: number }, Row & { id: number; session_id: number }>(placesSql),
    sessionsIn: statement<{ file: number }, number>(
      'SELECT session_id FROM entries WHERE file_id = @file UNION SELECT session_id FROM entry_copies WHERE file_id = @file',
    ).pluck(),
    titles: statement<[number]>('SELECT leaf, title FROM leaf_titles WHERE file_id = ? ORDER BY leaf'),
    uses: statement<[number], Row>(
      'SELECT use_id AS id, tool, input, files, outcome, output FROM tool_uses WHERE entry_id = ? ORDER BY id',
    ),
  };
}

function* fileLines(
  statements: ReturnType<typeof fileStatements>,
  id: number,
  { ids: wanted, whole }: Wanted,
): Generator<ExportedLine> {
  const { sweeping, state, ...rest } = statements.file.get(id) as Row & { sweeping: number };
  const names = new Map<number, string | undefined>();
  const nameOf = (session: number): string | undefined => {
    if (!names.has(session)) names.set(session, statements.name.get(session));
    return names.get(session);
  };
  // Here and below, SQL gives the fields of the schema; tests read back what they export.
  yield {
    is: 'file',
    ...rest,
    // A file that is being read again contains both old and new entries.
    partial: sweeping !== 0 || statements.sessionsIn.all({ file: id }).some((session) => !wanted.has(session)),
    state: parseState(String(state)),
    copies: statements.copies.all(id),
    sessions: statements.sessions
      .all(id)
      .filter((one) => whole || wanted.has(one.id))
      .map(({ id: session, ...one }) => ({ ...one, facts: statements.facts.all(id, session) })),
    titles: whole ? statements.titles.all(id) : [],
  } as unknown as ExportedLine;
  // One at a time: a transcript may be larger than the memory.
  for (const { id: entry, session_id, tools, ...said } of statements.places.iterate({ file: id })) {
    if (!wanted.has(session_id)) continue;
    yield {
      is: 'entry',
      ...said,
      session: nameOf(session_id),
      tools: tools === null ? [] : parsed(tools),
      uses: statements.uses.all(entry).map((use) => ({ ...use, files: use.files === null ? [] : parsed(use.files) })),
    } as unknown as ExportedLine;
  }
}
