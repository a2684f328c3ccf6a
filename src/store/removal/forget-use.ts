// One tool use of an entry: its row, its index text and its vector. The entry and its other uses stay.
import type { AgentName } from '../../schema/agent-name.ts';
import { toolIndex } from '../search/tool-index.ts';
import type { Connection } from '../sqlite/connection.ts';

export interface UseRow {
  readonly id: number;
  readonly use: string;
  readonly entry: string;
  readonly agent: AgentName;
  /** Everything that it said. */
  readonly text: string;
}

const columns = `t.id, t.use_id AS "use", e.uuid AS entry, s.agent, t.input || ' ' || coalesce(t.output, '') AS text`;
const from = 'FROM tool_uses t JOIN entries e ON e.id = t.entry_id JOIN sessions s ON s.id = e.session_id';

export function useRows(connection: Connection) {
  const named = connection.statement<[string, string, string], UseRow>(
    `SELECT ${columns} ${from} WHERE t.use_id = ? AND e.uuid = ? AND s.agent = ?`,
  );
  const inFiles = connection.statement<[], UseRow & { key: string }>(
    `SELECT ${columns}, f.key ${from} JOIN files f ON f.id = e.file_id`,
  );
  const drop = connection.statement('DELETE FROM tool_uses WHERE id = ?');
  const dropVectors = connection.statement('DELETE FROM vectors WHERE kind = 0 AND subject_id = ?');
  const queue = connection.statement(
    'INSERT INTO vector_queue VALUES (0, ?, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp',
  );
  const index = toolIndex(connection);
  return {
    named: (agent: AgentName, entry: string, use: string): UseRow | undefined => named.get(use, entry, agent),
    /** All of them, one after the other: texts of a whole store do not fit into memory. */
    inFiles: () => inFiles.iterate(),
    drop(use: number, entry: number): void {
      drop.run(use);
      index.renew([entry]);
      // The vector of an entry without other uses is made again too.
      dropVectors.run(entry);
      queue.run(entry);
    },
  };
}
