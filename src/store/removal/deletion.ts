// Deletes sessions with everything that depends on them, as one set: thousands cost little more than one. Entries that
// a fork copied stay, as the fork's own.
import type { Connection } from '../sqlite/connection.ts';
import { branches } from '../transcripts/branches.ts';
import { grouping } from '../transcripts/grouping.ts';
import { ownership } from '../transcripts/ownership.ts';
import { sessionRows } from '../transcripts/session-rows.ts';
import type { RemovalPort } from './port.ts';
import { sessionSets } from './session-sets.ts';
import { toldTraces } from './told-traces.ts';

export function deletion(connection: Connection): Pick<RemovalPort, 'deleteSessions'> {
  const { named, set, ofSet, numbers, countConversations, alone, idsOf } = sessionSets(connection);
  const { write } = connection;
  const entries = `FROM entries WHERE session_id IN ${set}`;
  const countEntries = numbers(`SELECT count(*) ${entries}`);
  const countToolUses = numbers(`SELECT count(*) FROM tool_uses WHERE entry_id IN (SELECT id ${entries})`);
  const filesOf = ofSet(`SELECT DISTINCT file_id ${entries}`);
  const shared = ofSet(`SELECT id ${entries} AND EXISTS (SELECT 1 FROM entry_copies c WHERE c.entry_id = entries.id)`);
  const run = (statements: readonly string[]) => {
    const prepared = statements.map((sql) => connection.statement<{ ids: string }>(sql));
    return (ids: string) => {
      for (const statement of prepared) statement.run({ ids });
    };
  };
  const dropCopies = run([`DELETE FROM entry_copies WHERE session_id IN ${set}`]);
  const dropRest = run([
    ...toldTraces(`session IN (SELECT session FROM sessions WHERE id IN ${set})`),
    `UPDATE entries SET conversation_id = NULL WHERE conversation_id IN (SELECT id FROM conversations WHERE session_id IN ${set})`,
    `DELETE FROM conversations WHERE session_id IN ${set}`,
    `DELETE FROM pins WHERE kind = 'entry' AND id IN (SELECT uuid ${entries})`,
    `DELETE FROM entries_fts WHERE rowid IN (SELECT id ${entries})`,
    `DELETE FROM leaf_titles WHERE leaf IN (SELECT uuid ${entries}) OR leaf IN (SELECT session FROM sessions WHERE id IN ${set})`,
    `DELETE FROM entries WHERE session_id IN ${set}`,
    `DELETE FROM pins WHERE kind = 'session' AND (agent, id) IN ${named}`,
    ...['session_states', 'session_labels', 'briefings', 'archives', 'bookmarks'].map(
      (table) => `DELETE FROM ${table} WHERE (agent, session) IN ${named}`,
    ),
    `DELETE FROM file_sessions WHERE session_id IN ${set}`,
    `DELETE FROM sessions WHERE id IN ${set}`,
    'INSERT OR REPLACE INTO session_changes (session_id) SELECT value FROM json_each(@ids)',
  ]);
  const sessionsIn = connection
    .statement<[number], number>('SELECT DISTINCT session_id FROM entries WHERE file_id = ?')
    .pluck();
  const owners = ownership(connection);
  const groups = grouping(connection);
  const sessions = sessionRows(connection);
  const markAbandoned = branches(connection);
  const dropVault = run([`UPDATE vault_copies SET bytes = 0, state = '{}' WHERE file_id IN ${set}`]);

  return {
    async deleteSessions(keys, rules) {
      return write(() => {
        const found = idsOf(keys);
        const ids = JSON.stringify(found);
        dropVault(JSON.stringify(alone.all({ ids }).map((copy) => copy.id)));
        const files = new Set(filesOf.all({ ids }));
        // Before the handover: a session that is deleted as well must not inherit entries.
        dropCopies(ids);
        const heirs = shared.all({ ids }).map((entry) => owners.handOver(entry));
        const removed = {
          sessions: found.length,
          entries: countEntries(ids),
          toolUses: countToolUses(ids),
          conversations: countConversations(ids),
        };
        dropRest(ids);
        for (const heir of heirs) if (heir !== undefined) files.add(heir.file);
        for (const file of files) {
          const others = sessionsIn.all(file);
          if (others.length === 0) continue;
          markAbandoned(file);
          groups.rebuild(file, rules);
          for (const other of others) sessions.noteChange(other);
        }
        for (const heir of new Set(heirs.flatMap((one) => one?.session ?? []))) sessions.refresh(heir);
        return removed;
      });
    },
  };
}
