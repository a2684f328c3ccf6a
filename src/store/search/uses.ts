// Which entries used which tools.
import type { Connection } from '../sqlite/connection.ts';
import { useConditions } from './keywords.ts';
import type { SearchPort } from './port.ts';

export function useRows(connection: Connection): Pick<SearchPort, 'toolNames' | 'toolUsers'> {
  const { read: run } = connection;
  // One index lookup per name, however many uses there are.
  const names = connection
    .statement<[], string>(
      `WITH RECURSIVE named (tool) AS (
         SELECT min(tool) FROM tool_uses
         UNION ALL SELECT (SELECT min(t.tool) FROM tool_uses t WHERE t.tool > named.tool) FROM named WHERE tool IS NOT NULL
       ) SELECT tool FROM named WHERE tool IS NOT NULL`,
    )
    .pluck();

  return {
    async toolNames() {
      return run(() => names.all());
    },
    async toolUsers(use) {
      return run(() => {
        const { conditions, values } = useConditions(use);
        return connection
          .statement<unknown[], number>(`SELECT DISTINCT t.entry_id FROM tool_uses t WHERE ${conditions.join(' AND ')}`)
          .pluck()
          .all(...values);
      });
    },
  };
}
