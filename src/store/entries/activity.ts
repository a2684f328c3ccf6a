// Counts entries by session and quarter of an hour: the days and hours of every time zone consist of quarters.

import { sessionConditions } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { EntriesPort } from './port.ts';

export const quarterMs = 900_000;

interface Row {
  session: number;
  quarter: number;
  count: number;
  name: string | null;
  path: string | null;
}

/**
 * Starts from the sessions; the plus keeps SQLite from scanning all of them in order. The index of entries covers the
 * counts, and the index of prompts leads to the prompts.
 */
export const activitySql = (of: 'entries' | 'prompts', where: readonly string[] = []): string =>
  `SELECT q.*, coalesce(p.label, p.name) AS name, p.path FROM (
     SELECT s.id AS session, s.project_id AS project, e.at / ${quarterMs} AS quarter, count(*) AS count
     FROM sessions s CROSS JOIN entries e ON e.session_id = s.id
     WHERE ${[...where, 's.ended_at >= ?', 's.started_at < ?', 'e.at >= ?', 'e.at < ?'].join(' AND ')}
     AND ${of === 'entries' ? '(e.subagent IS NOT NULL) = 0' : "e.author = 'person' AND e.subagent IS NULL"} GROUP BY +s.id, quarter
   ) q LEFT JOIN projects p ON p.id = q.project`;

/** The quarters of one session that have entries. */
interface Counted {
  /** The number of the session's last change when they were counted. */
  readonly seq: number | null;
  readonly quarters: readonly { readonly quarter: number; readonly entries: number; readonly prompts: number }[];
}

/** Quarters in memory. With more, all are counted again. */
const mostKept = 200_000;
const always = [-8.64e15, 8.64e15, -8.64e15, 8.64e15];

/** The quarters of sessions, counted again when a session changes: a year of a large store takes a while to count. */
function countedSessions(connection: Connection) {
  const kept = new Map<number, Counted>();
  let size = 0;
  const all = (of: 'entries' | 'prompts', ids: string) =>
    connection.statement(activitySql(of, ['s.id IN (SELECT value FROM json_each(?))'])).all(ids, ...always) as Row[];

  function count(sessions: readonly { readonly session: number; readonly seq: number | null }[]): void {
    if (size > mostKept) {
      kept.clear();
      size = 0;
    }
    const ids = JSON.stringify(sessions.map(({ session }) => session));
    const prompts = new Map(all('prompts', ids).map(({ session, quarter, count }) => [`${session} ${quarter}`, count]));
    const quarters = new Map<number, Counted['quarters'][number][]>(sessions.map(({ session }) => [session, []]));
    for (const { session, quarter, count } of all('entries', ids))
      quarters.get(session)?.push({ quarter, entries: count, prompts: prompts.get(`${session} ${quarter}`) ?? 0 });
    for (const { session, seq } of sessions) {
      const own = quarters.get(session) ?? [];
      size += own.length - (kept.get(session)?.quarters.length ?? 0);
      kept.set(session, { seq, quarters: own });
    }
  }

  return (sessions: readonly { readonly session: number; readonly seq: number | null }[]) => {
    const changed = sessions.filter(({ session, seq }) => seq === null || kept.get(session)?.seq !== seq);
    if (changed.length > 0) count(changed);
    // A full memory was emptied, and the others went too.
    const lost = sessions.filter(({ session }) => !kept.has(session));
    if (lost.length > 0) count(lost);
    return (session: number): Counted['quarters'] => kept.get(session)?.quarters ?? [];
  };
}

export function activityRows(connection: Connection): Pick<EntriesPort, 'activity'> {
  const { read } = connection;
  const countedOf = countedSessions(connection);
  return {
    async activity(filter) {
      return read(() => {
        const { where, values } = sessionConditions(connection, filter);
        const conditions = [...where, 's.ended_at >= ?', 's.started_at < ?'].join(' AND ');
        const sessions = connection
          .statement(
            `SELECT s.id AS session, c.seq, coalesce(p.label, p.name) AS name, p.path FROM sessions s LEFT JOIN session_changes c ON c.session_id = s.id
             LEFT JOIN projects p ON p.id = s.project_id WHERE ${conditions}`,
          )
          .all(...values, filter.since, filter.until) as (Pick<Row, 'session' | 'name' | 'path'> & {
          seq: number | null;
        })[];
        const quartersOf = countedOf(sessions);
        return sessions.flatMap(({ session, name, path }) =>
          quartersOf(session)
            .filter(({ quarter }) => quarter * quarterMs >= filter.since && quarter * quarterMs < filter.until)
            .map(({ quarter, entries, prompts }) => ({
              session,
              at: quarter * quarterMs,
              entries,
              prompts,
              project: { name: name ?? '', path: path ?? '' },
            })),
        );
      });
    },
  };
}
