// The last step of forgetting: updates the remaining rows, and lists the traces outside the database.
import type { AgentName } from '../../schema/agent-name.ts';
import type { ConversationRules } from '../conversations/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import { branches } from '../transcripts/branches.ts';
import { grouping } from '../transcripts/grouping.ts';
import { sessionRows } from '../transcripts/session-rows.ts';
import type { Work } from './forget-work.ts';
import type { ForgottenTraces } from './port.ts';

export function forgetSettling(connection: Connection) {
  const file = connection.statement<[number], { agent: AgentName; key: string }>(
    'SELECT agent, key FROM files WHERE id = ?',
  );
  const roots = connection
    .statement<[number], string>('SELECT root FROM file_copies WHERE file_id = ? ORDER BY size DESC')
    .pluck();
  const dropLaterBriefings = connection.statement('DELETE FROM briefings WHERE at >= ?');
  const sessionsIn = connection
    .statement<[number], number>('SELECT DISTINCT session_id FROM entries WHERE file_id = ?')
    .pluck();
  const groups = grouping(connection);
  const sessions = sessionRows(connection);
  const markAbandoned = branches(connection);

  return (work: Work, rules: ConversationRules): ForgottenTraces => {
    const { files, touched, gone, conversations, named } = work;
    if (conversations.size > 0 && work.firstAt !== Number.POSITIVE_INFINITY) dropLaterBriefings.run(work.firstAt);
    for (const id of new Set([...files, ...work.regrouped])) {
      markAbandoned(id);
      groups.rebuild(id, rules);
      for (const other of sessionsIn.all(id)) sessions.noteChange(other);
    }
    for (const id of touched) if (!gone.has(id)) sessions.refresh(id);
    return {
      transcripts: [...files].map((id) => ({
        ...(file.get(id) as { agent: AgentName; key: string }),
        roots: roots.all(id),
      })),
      conversations: [...conversations.values()],
      sessions: [...new Set([...touched, ...gone])].map((id) => {
        const { agent, session } = named.get(id) as { agent: AgentName; session: string };
        return { agent, session, gone: gone.has(id) };
      }),
    };
  };
}
