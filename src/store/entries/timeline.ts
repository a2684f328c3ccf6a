// Entries in order of time, without an index on their times: sessions
// are few, and their start and end limit the search.

import { sessionConditions } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { EntriesPort, TimelineFilter } from './port.ts';
import { type EntryRow, entryColumns, toEntry } from './rows.ts';

interface Span {
  readonly id: number;
  readonly started_at: number;
  readonly ended_at: number;
}

interface EntryPosition {
  readonly id: number;
  readonly at: number;
  readonly pos: number;
}

export function timelines(connection: Connection): Pick<EntriesPort, 'timeline'> {
  const { read: run } = connection;
  const within = (order: string) =>
    connection.statement<[number, number, number, number, number], EntryPosition>(
      `SELECT id, at, pos FROM entries WHERE session_id = ? AND at >= ? AND at < ? AND subagent IS NULL AND abandoned = 0
       AND author <> 'machine' AND (? = 0 OR author = 'person') ORDER BY at ${order}, pos ${order} LIMIT ?`,
    );
  const newest = within('DESC');
  const oldest = within('ASC');
  const fetch = connection.statement<[string], EntryRow & { project: string | null }>(
    `SELECT ${entryColumns}, coalesce(p.label, p.name) AS project FROM json_each(?) j JOIN entries e ON e.id = j.value
     JOIN sessions s ON s.id = e.session_id LEFT JOIN projects p ON p.id = s.project_id ORDER BY j.key`,
  );

  function spans(filter: TimelineFilter): Span[] {
    const { where, values } = sessionConditions(connection, filter);
    where.push('s.ended_at >= ?', 's.started_at < ?');
    const order = filter.end === 'newest' ? 's.ended_at DESC' : 's.started_at';
    const sql = `SELECT s.id, s.started_at, s.ended_at FROM sessions s WHERE ${where.join(' AND ')} ORDER BY ${order}, s.id`;
    return connection.statement(sql).all(...values, ...bounds(filter)) as Span[];
  }

  return {
    async timeline(filter) {
      return run(() => {
        const latest = filter.end === 'newest';
        const closer = latest
          ? (a: EntryPosition, b: EntryPosition) => b.at - a.at || b.pos - a.pos || b.id - a.id
          : (a: EntryPosition, b: EntryPosition) => a.at - b.at || a.pos - b.pos || a.id - b.id;
        let found: EntryPosition[] = [];
        for (const span of spans(filter)) {
          const last = found[filter.limit - 1];
          // Sessions are sorted by the wanted end, so no later one can be closer.
          if (last !== undefined && (latest ? span.ended_at < last.at : span.started_at > last.at)) break;
          const more = (latest ? newest : oldest).all(span.id, ...bounds(filter), filter.prompts ? 1 : 0, filter.limit);
          found = [...found, ...more].sort(closer).slice(0, filter.limit);
        }
        if (latest) found.reverse();
        return fetch
          .all(JSON.stringify(found.map(({ id }) => id)))
          .map((row) => ({ entry: toEntry(row), project: row.project ?? '' }));
      });
    },
  };
}

const bounds = ({ since, until }: TimelineFilter): [number, number] => [
  since ?? Number.MIN_SAFE_INTEGER,
  until ?? Number.MAX_SAFE_INTEGER,
];
