// Conversations, and their first moves: what has been silent is ready, or too short. The others are moved with their jobs.
import type { Database } from 'better-sqlite3';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Conversation, ConversationStatus } from '../../schema/conversation.ts';
import { toMoment } from '../../schema/time.ts';
import type { Store } from '../store.ts';
import { type EntryRow, entryColumns, sessionConditions, toEntry } from './read.ts';
import { headline } from './session-rows.ts';

interface Row {
  id: number;
  session: string;
  agent: AgentName;
  project: string | null;
  key: string;
  status: ConversationStatus;
  reason: string | null;
  attempts: number;
  first_pos: number;
  first_at: number;
  last_at: number;
  entries: number;
  title: string | null;
}

const select = `SELECT c.id, s.session, s.agent, p.name AS project, f.key, c.status, c.reason, c.attempts, c.first_pos, c.first_at, c.last_at, c.entries,
  coalesce((SELECT substr(e.text, 1, 2000) FROM entries e WHERE e.file_id = c.file_id AND e.pos BETWEEN c.first_pos AND c.last_pos
     AND e.author = 'person' ORDER BY e.pos LIMIT 1), s.title) AS title
  FROM conversations c JOIN sessions s ON s.id = c.session_id JOIN files f ON f.id = c.file_id LEFT JOIN projects p ON p.id = s.project_id`;

type Run = <T>(work: () => T) => T;

export function conversationRows(
  db: Database,
  read: Run,
  write: Run,
): Pick<Store, 'conversation' | 'conversations' | 'conversationEntries' | 'markReady'> {
  const byId = db.prepare<[number], Row>(`${select} WHERE c.id = ?`);
  const silent = db.prepare("SELECT 1 FROM conversations WHERE status = 'active' AND last_at < ? LIMIT 1");
  const ready = db.prepare("UPDATE conversations SET status = 'ready' WHERE status = 'active' AND last_at < ?");
  const tooShort = db.prepare(
    `UPDATE conversations SET status = 'skipped', reason = 'fewer than ' || CAST(@least AS INTEGER) || ' entries' WHERE status = 'ready' AND entries < @least`,
  );
  // An entry may since belong to an earlier file; then a copy tells where it stands in this one.
  const entries = db.prepare<{ id: number }, EntryRow>(
    `SELECT ${entryColumns}, e.pos AS place FROM entries e JOIN sessions s ON s.id = e.session_id
     WHERE e.file_id = (SELECT file_id FROM conversations WHERE id = @id) AND e.conversation_id = @id
     UNION ALL
     SELECT ${entryColumns}, k.pos FROM entry_copies k JOIN entries e ON e.id = k.entry_id JOIN sessions s ON s.id = e.session_id
     WHERE k.file_id = (SELECT file_id FROM conversations WHERE id = @id) AND e.conversation_id = @id ORDER BY place`,
  );

  return {
    async conversations(filter) {
      return read(() => {
        const { where, values } = sessionConditions(db, { project: filter.project });
        if (filter.status !== undefined) {
          where.push('c.status = ?');
          values.push(filter.status);
        }
        const sql = `${select} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY c.last_at DESC, c.id DESC LIMIT ?`;
        return (db.prepare(sql).all(...values, filter.limit ?? -1) as Row[]).map(toConversation);
      });
    },
    async conversation(id) {
      return read(() => {
        const row = byId.get(id);
        return row === undefined ? undefined : toConversation(row);
      });
    },
    async conversationEntries(id) {
      return read(() => entries.all({ id }).map(toEntry));
    },
    async markReady(now, { gapMs, minEntries }) {
      // Looking first keeps an idle worker from writing.
      if (read(() => silent.get(now - gapMs)) === undefined) return 0;
      return write(() => {
        const { changes } = ready.run(now - gapMs);
        tooShort.run({ least: minEntries });
        return changes;
      });
    },
  };
}

const toConversation = (row: Row): Conversation => ({
  id: row.id,
  session: row.session,
  agent: row.agent,
  project: row.project ?? '',
  file: row.key,
  status: row.status,
  ...(row.reason === null ? {} : { reason: row.reason }),
  attempts: row.attempts,
  firstPos: row.first_pos,
  firstAt: toMoment(row.first_at),
  lastAt: toMoment(row.last_at),
  entries: row.entries,
  title: headline(row.title ?? ''),
});
