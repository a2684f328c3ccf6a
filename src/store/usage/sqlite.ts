// Counts of tokens, one row for each session. The row goes with its session.
import type { AgentName } from '../../schema/agent-name.ts';
import type { ModelUsage } from '../../schema/model-usage.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { UsagePort } from './port.ts';

/** The factor keeps a file that was read again from looking like one that grew. */
const extentOf = 'sum(f.offset + 1) + 1000003 * sum(f.generation)';
const filesOf = 'JOIN file_sessions x ON x.session_id = s.id JOIN files f ON f.id = x.file_id';

export function usagePort(connection: Connection): UsagePort {
  const { read, write } = connection;
  const extent = connection
    .statement<[string, string], number | null>(
      `SELECT ${extentOf} FROM sessions s ${filesOf} WHERE s.session = ? AND s.agent = ?`,
    )
    .pluck();
  const get = connection
    .statement<[string, string, number], string>(
      `SELECT u.models FROM sessions s JOIN session_usage u ON u.session_id = s.id
       WHERE s.session = ? AND s.agent = ? AND u.extent = ?`,
    )
    .pluck();
  const keep = connection.statement<{ agent: string; session: string; extent: number; models: string }>(
    `INSERT INTO session_usage (session_id, extent, models)
     SELECT s.id, @extent, @models FROM sessions s WHERE s.session = @session AND s.agent = @agent
     ON CONFLICT (session_id) DO UPDATE SET extent = excluded.extent, models = excluded.models`,
  );
  const all = connection.statement<[], { agent: AgentName; session: string; models: string }>(
    'SELECT s.agent, s.session, u.models FROM session_usage u JOIN sessions s ON s.id = u.session_id',
  );
  const due = connection.statement<{ before: number; limit: number }, { agent: AgentName; session: string }>(
    `SELECT s.agent, s.session FROM sessions s ${filesOf} LEFT JOIN session_usage u ON u.session_id = s.id
     WHERE s.ended_at < @before GROUP BY s.id HAVING u.extent IS NULL OR u.extent <> ${extentOf}
     ORDER BY s.ended_at DESC LIMIT @limit`,
  );
  const models = (json: string) => JSON.parse(json) as ModelUsage[];
  return {
    extent: async ({ agent, session }) => read(() => extent.get(session, agent) ?? undefined),
    get: async ({ agent, session }, at) =>
      read(() => {
        const kept = get.get(session, agent, at);
        return kept === undefined ? undefined : models(kept);
      }),
    keep: async ({ agent, session }, at, counted) =>
      write(() => void keep.run({ agent, session, extent: at, models: JSON.stringify(counted) })),
    all: async () => read(() => all.all().map((row) => ({ ...row, models: models(row.models) }))),
    due: async (before, limit) => read(() => due.all({ before, limit })),
  };
}
