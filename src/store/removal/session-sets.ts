// Sets of sessions, for statements that work on all of them at once.
import type { AgentName } from '../../schema/agent-name.ts';
import type { SessionKey } from '../sessions/port.ts';
import type { Connection } from '../sqlite/connection.ts';

/** Sets of sessions as JSON lists of row ids, and what belongs to them. */
export function sessionSets(connection: Connection) {
  const find = connection
    .statement<[string], number>(
      `SELECT s.id FROM json_each(?) k CROSS JOIN sessions s ON s.session = k.value->>'session' AND s.agent = k.value->>'agent'`,
    )
    .pluck();
  const set = '(SELECT value FROM json_each(@ids))';
  const ofSet = (what: string) => connection.statement<{ ids: string }, number>(what).pluck();
  const numbers = (what: string) => (ids: string) => ofSet(what).get({ ids }) ?? 0;
  const countConversations = numbers(`SELECT count(*) FROM conversations WHERE session_id IN ${set}`);
  const named = `(SELECT agent, session FROM sessions WHERE id IN ${set})`;
  // Files that contain no other session.
  const alone = connection.statement<{ ids: string }, { id: number; agent: AgentName; key: string; bytes: number }>(
    `SELECT f.id, f.agent, f.key, v.bytes FROM (SELECT DISTINCT file_id FROM file_sessions WHERE session_id IN ${set}) x
     JOIN vault_copies v ON v.file_id = x.file_id AND v.bytes > 0 JOIN files f ON f.id = x.file_id
     WHERE NOT EXISTS (SELECT 1 FROM file_sessions o WHERE o.file_id = x.file_id AND o.session_id NOT IN ${set})`,
  );
  const idsOf = (keys: readonly SessionKey[]): number[] => find.all(JSON.stringify(keys));

  return { set, ofSet, numbers, named, idsOf, alone, countConversations };
}
