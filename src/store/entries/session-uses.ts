// The uses of some tools in a session.

import type { Connection } from '../sqlite/connection.ts';
import type { EntriesPort, UseAt } from './port.ts';
import { likeAnywhere, toUseAt, type UseRow, useColumns } from './rows.ts';
import { transcriptOrder } from './transcript-order.ts';

interface Wanted {
  readonly tools: string;
  readonly pattern: string;
}

const isWanted = `t.tool IN (SELECT value FROM json_each(@tools)) AND t.outcome IS NOT 'error'
  AND (@pattern = '%%' OR t.input LIKE @pattern ESCAPE '\\')`;

export function sessionUses(connection: Connection): Pick<EntriesPort, 'usesIn'> {
  const { plainSession, idsOf } = transcriptOrder(connection);
  const inSession = connection.statement<Wanted & { session: number }, UseRow>(
    `SELECT ${useColumns} FROM entries e INDEXED BY entries_with_tools CROSS JOIN tool_uses t ON t.entry_id = e.id
     CROSS JOIN files f ON f.id = e.file_id
     WHERE e.session_id = @session AND e.tools IS NOT NULL AND e.abandoned = 0 AND ${isWanted}
     ORDER BY f.subagent IS NOT NULL, f.born_at, f.key, e.pos, t.id`,
  );
  const byId = connection.statement<Wanted & { ids: string }, UseRow>(
    `SELECT ${useColumns} FROM json_each(@ids) j JOIN entries e ON e.id = j.value JOIN tool_uses t ON t.entry_id = e.id
     WHERE e.tools IS NOT NULL AND e.abandoned = 0 AND ${isWanted} ORDER BY j.key, t.id`,
  );
  return {
    async usesIn(agent, session, { tools, input = '' }): Promise<readonly UseAt[]> {
      const wanted = { tools: JSON.stringify(tools), pattern: likeAnywhere(input) };
      return connection.read(() => {
        const plain = plainSession(agent, session);
        if (plain !== undefined) return inSession.all({ ...wanted, session: plain }).map(toUseAt);
        const ids = idsOf(agent, session, true);
        return byId.all({ ...wanted, ids: JSON.stringify(ids.slice(0, ids.total)) }).map(toUseAt);
      });
    },
  };
}
