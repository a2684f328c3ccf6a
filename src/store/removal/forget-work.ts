// What one call of forget has touched so far. The steps add to it, and the last step updates the rest.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Connection } from '../sqlite/connection.ts';
import { type EntryRow, forgetLookup, type SessionName } from './forget-lookup.ts';
import type { ForgottenTraces } from './port.ts';

export interface Work {
  readonly now: number;
  /** Transcripts that contain forgotten items, and those whose conversations must be rebuilt. */
  readonly files: Set<number>;
  readonly regrouped: Set<number>;
  readonly touched: Set<number>;
  readonly gone: Set<number>;
  readonly conversations: Map<string, ForgottenTraces['conversations'][number]>;
  readonly named: Map<number, Pick<SessionName, 'agent' | 'session'>>;
  /** A process may read one of the conversations until then. */
  busyUntil: number;
  /** The moment of the oldest forgotten item. */
  firstAt: number;
}

export const begun = (now: number): Work => ({
  now,
  files: new Set(),
  regrouped: new Set(),
  touched: new Set(),
  gone: new Set(),
  conversations: new Map(),
  named: new Map(),
  busyUntil: 0,
  firstAt: Number.POSITIVE_INFINITY,
});

/** Steps that several kinds of items share. */
export function sharedSteps(connection: Connection) {
  const { sessionName } = forgetLookup(connection);
  const conversation = connection.statement<[number], { file: string; firstPos: number; lease_until: number | null }>(
    'SELECT f.key AS file, c.first_pos AS firstPos, c.lease_until FROM conversations c JOIN files f ON f.id = c.file_id WHERE c.id = ?',
  );
  const dropRemembering = connection.statement("DELETE FROM jobs WHERE kind = 'remember' AND subject = ?");
  const loosen = connection.statement(
    "UPDATE conversations SET status = 'active', reason = NULL, attempts = 0, lease_until = NULL WHERE id = ?",
  );
  const dropBriefings = connection.statement(
    'DELETE FROM briefings WHERE (agent = ? AND session = ?) OR (at >= ? AND project IN (?, ?))',
  );

  /** Remembers the name of a session, because its row may be deleted before the end. */
  function name(work: Work, session: number): Pick<SessionName, 'agent' | 'session'> | undefined {
    const found = work.named.get(session) ?? sessionName(session);
    if (found !== undefined) work.named.set(session, found);
    return found;
  }

  function noteConversation(work: Work, id: number, session: number): void {
    const found = conversation.get(id);
    const of = name(work, session);
    if (found === undefined || of === undefined) return;
    work.busyUntil = Math.max(work.busyUntil, found.lease_until ?? 0);
    noteSource(work, { ...of, file: found.file, firstPos: found.firstPos });
  }

  return {
    name,
    noteConversation,
    /** Withdraws what was remembered from the conversation; its job runs again. */
    forgetConversation(work: Work, { conversation_id, session_id, file_id }: EntryRow): void {
      if (conversation_id === null) return;
      noteConversation(work, conversation_id, session_id);
      dropRemembering.run(conversation_id);
      loosen.run(conversation_id);
      work.regrouped.add(file_id);
    },
    /** Deletes briefings that the session received, or that its project received since the moment. */
    dropBriefings({ agent, session }: { agent: AgentName; session: string }, since: number, of?: SessionName): void {
      dropBriefings.run(agent, session, since, of?.project ?? '', of?.path ?? '');
    },
  };
}

export function noteSource(work: Work, { agent, session, file, firstPos }: ForgottenTraces['conversations'][number]) {
  work.conversations.set(`${agent} ${file} ${firstPos}`, { agent, session, file, firstPos });
}
