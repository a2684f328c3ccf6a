// Conversations and their first transitions: after a silence they become
// ready, or skipped if too short. Jobs make the later ones.

import type { AgentName } from '../../schema/agent-name.ts';
import type { Conversation, ConversationStatus } from '../../schema/conversation.ts';
import { toMoment } from '../../schema/time.ts';
import { type EntryRow, entryColumns, toEntry } from '../entries/rows.ts';
import { sessionConditions } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { headline } from '../transcripts/session-summary.ts';
import type { ConversationsPort } from './port.ts';

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

export function conversationsPort(connection: Connection): ConversationsPort {
  const { read, write } = connection;
  const memberships = connection
    .statement<[string], [number, number]>(
      `SELECT e.id, e.conversation_id FROM json_each(?) j JOIN entries e ON e.id = j.value WHERE e.conversation_id IS NOT NULL`,
    )
    .raw();
  const byId = connection.statement<[number], Row>(`${select} WHERE c.id = ?`);
  const silent = connection.statement("SELECT 1 FROM conversations WHERE status = 'active' AND last_at < ? LIMIT 1");
  const ready = connection.statement(
    "UPDATE conversations SET status = 'ready' WHERE status = 'active' AND last_at < ?",
  );
  const tooShort = connection.statement(
    `UPDATE conversations SET status = 'skipped', reason = 'fewer than ' || CAST(@least AS INTEGER) || ' entries' WHERE status = 'ready' AND entries < @least`,
  );
  // An entry may belong to an earlier file by now. Its copy then gives its position in this one.
  const entries = connection.statement<{ id: number }, EntryRow>(
    `SELECT ${entryColumns}, e.pos AS place FROM entries e JOIN sessions s ON s.id = e.session_id
     WHERE e.file_id = (SELECT file_id FROM conversations WHERE id = @id) AND e.conversation_id = @id
     UNION ALL
     SELECT ${entryColumns}, k.pos FROM entry_copies k JOIN entries e ON e.id = k.entry_id JOIN sessions s ON s.id = e.session_id
     WHERE k.file_id = (SELECT file_id FROM conversations WHERE id = @id) AND e.conversation_id = @id ORDER BY place`,
  );

  return {
    async list(filter) {
      return read(() => {
        const { where, values } = sessionConditions(connection, { project: filter.project });
        if (filter.status !== undefined) {
          where.push('c.status = ?');
          values.push(filter.status);
        }
        const sql = `${select} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY c.last_at DESC, c.id DESC LIMIT ?`;
        return (connection.statement(sql).all(...values, filter.limit ?? -1) as Row[]).map(toConversation);
      });
    },
    async get(id) {
      return read(() => {
        const row = byId.get(id);
        return row === undefined ? undefined : toConversation(row);
      });
    },
    async entries(id) {
      return read(() => entries.all({ id }).map(toEntry));
    },
    async markReady(now, { gapMs, minEntries }) {
      // The read first keeps an idle worker from writing.
      if (read(() => silent.get(now - gapMs)) === undefined) return 0;
      return write(() => {
        const { changes } = ready.run(now - gapMs);
        tooShort.run({ least: minEntries });
        return changes;
      });
    },
    async at(rows) {
      return read(() => new Map(memberships.all(JSON.stringify(rows))));
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
