// The port of sessions: lists and filters, composed with its parts.
import type { AgentName } from '../../schema/agent-name.ts';
import type { SessionOutcome } from '../../schema/session.ts';
import type { Connection } from '../sqlite/connection.ts';
import { exactOrAll, startsWith } from '../sqlite/ids.ts';
import { digests } from './digest.ts';
import { labelRows } from './labels.ts';
import { namedSessions } from './named.ts';
import type { SessionsPort } from './port.ts';
import { type SessionRow, sessionColumns, sessionConditions, toSession } from './rows.ts';
import { sessionStates } from './states.ts';

export function sessionsPort(connection: Connection): SessionsPort {
  const { list, find, outcomes, rows, groupedRows } = sessionLists(connection);
  const { recent, ending } = digests(connection);
  const { label } = labelRows(connection);
  const { named } = namedSessions(connection);
  const { note, follow, state, toldSince, lastToldAt } = sessionStates(connection);
  return {
    list,
    find,
    outcomes,
    rows,
    groupedRows,
    recent,
    ending,
    label,
    named,
    note,
    follow,
    state,
    toldSince,
    lastToldAt,
  };
}

function sessionLists(
  connection: Connection,
): Pick<SessionsPort, 'list' | 'find' | 'outcomes' | 'rows' | 'groupedRows'> {
  const { read: run } = connection;
  const outcomes = connection.statement<
    [string],
    { agent: AgentName; session: string; last: 'ok' | 'error' | null; steps: number | null }
  >(
    `SELECT s.agent, s.session, trim(m.next_steps) <> '' AS steps,
       (SELECT t.outcome FROM entries e JOIN tool_uses t ON t.entry_id = e.id
        WHERE e.session_id = s.id AND e.subagent IS NULL AND e.abandoned = 0 AND t.outcome IS NOT NULL
        ORDER BY e.pos DESC, t.id DESC LIMIT 1) AS last
     FROM json_each(?) j JOIN sessions s ON s.session = j.value ->> 1 AND s.agent = j.value ->> 0
     LEFT JOIN summaries m ON m.session_id = s.id`,
  );
  const grouped = connection
    .statement<[], number>(
      'SELECT s.id FROM group_sessions m JOIN sessions s ON s.session = m.session AND s.agent = m.agent',
    )
    .pluck();

  return {
    async list(filter) {
      return run(() => {
        const { where, values } = sessionConditions(connection, filter);
        if (filter.since !== undefined) {
          where.push('s.ended_at >= ?');
          values.push(filter.since);
        }
        if (filter.until !== undefined) {
          where.push('s.started_at < ?');
          values.push(filter.until);
        }
        const sql = `SELECT ${sessionColumns} FROM sessions s LEFT JOIN projects p ON p.id = s.project_id
          ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY s.ended_at DESC, s.session LIMIT ?`;
        return (connection.statement(sql).all(...values, filter.limit ?? -1) as SessionRow[]).map(toSession);
      });
    },
    async find(id) {
      return run(() => {
        const sql = `SELECT ${sessionColumns} FROM sessions s LEFT JOIN projects p ON p.id = s.project_id
          WHERE ${startsWith('s.session')} ORDER BY s.session <> ?, s.ended_at DESC LIMIT 50`;
        return exactOrAll((connection.statement(sql).all(id, id, id) as SessionRow[]).map(toSession), id);
      });
    },
    async outcomes(sessions) {
      return run(() => {
        const keys = JSON.stringify(sessions.map(({ agent, session }) => [agent, session]));
        return outcomes.all(keys).flatMap(({ agent, session, last, steps }) => {
          const outcome = outcomeOf(last, steps);
          return outcome === undefined ? [] : [{ agent, session, outcome }];
        });
      });
    },
    async rows(filter) {
      return run(() => {
        const { where, values } = sessionConditions(connection, filter);
        const sql = `SELECT s.id FROM sessions s ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}`;
        return connection
          .statement<unknown[], number>(sql)
          .pluck()
          .all(...values);
      });
    },
    async groupedRows() {
      return run(() => grouped.all());
    },
  };
}

function outcomeOf(last: 'ok' | 'error' | null, steps: number | null): SessionOutcome | undefined {
  if (last === 'error') return 'failed';
  if (steps === null) return undefined;
  return steps === 1 ? 'open' : 'done';
}
