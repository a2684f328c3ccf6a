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
  `SELECT q.*, p.name, p.path FROM (
     SELECT s.id AS session, s.project_id AS project, e.at / ${quarterMs} AS quarter, count(*) AS count
     FROM sessions s CROSS JOIN entries e ON e.session_id = s.id
     WHERE ${[...where, 's.ended_at >= ?', 's.started_at < ?', 'e.at >= ?', 'e.at < ?'].join(' AND ')}
     AND ${of === 'entries' ? '(e.subagent IS NOT NULL) = 0' : "e.author = 'person' AND e.subagent IS NULL"} GROUP BY +s.id, quarter
   ) q LEFT JOIN projects p ON p.id = q.project`;

export function activityRows(connection: Connection): Pick<EntriesPort, 'activity'> {
  const { read } = connection;
  return {
    async activity(filter) {
      return read(() => {
        const { where, values } = sessionConditions(connection, filter);
        const bounds = [filter.since, filter.until, filter.since, filter.until];
        const all = (of: 'entries' | 'prompts') =>
          connection.statement(activitySql(of, where)).all(...values, ...bounds) as Row[];
        const prompts = new Map(all('prompts').map(({ session, quarter, count }) => [`${session} ${quarter}`, count]));
        return all('entries').map(({ session, quarter, count, name, path }) => ({
          session,
          at: quarter * quarterMs,
          entries: count,
          prompts: prompts.get(`${session} ${quarter}`) ?? 0,
          project: { name: name ?? '', path: path ?? '' },
        }));
      });
    },
  };
}
