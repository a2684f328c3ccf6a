// Entries by id and row, their tool uses, and counts of what is stored.

import { ConversationStatus } from '../../schema/conversation.ts';
import { titleOfSession } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { exactOrAll, startsWith } from '../sqlite/ids.ts';
import type { EntriesPort, EntryBeginning } from './port.ts';
import {
  type EntryRow,
  entryColumns,
  likeAnywhere,
  type ToolRow,
  toEntry,
  toToolUse,
  toUseAt,
  type UseRow,
  useColumns,
} from './rows.ts';

/** Enough to recognise the kind of text. */
const beginning = 400;

type Members = 'counts' | 'find' | 'at' | 'beginningsAt' | 'containing' | 'usesAt' | 'toolUses' | 'toolUsesAt';

export function entryLookup(connection: Connection): Pick<EntriesPort, Members> {
  const { read: run } = connection;
  const one = (sql: string): number => connection.statement(sql).pluck().get() as number;
  const fetch = connection.statement<
    [string],
    EntryRow & { row: number; project: string | null; title: string | null }
  >(
    `SELECT ${entryColumns}, e.id AS row, coalesce(p.label, p.name) AS project, ${titleOfSession} FROM json_each(?) j JOIN entries e ON e.id = j.value
     JOIN sessions s ON s.id = e.session_id LEFT JOIN projects p ON p.id = s.project_id ORDER BY j.key`,
  );
  const containing = connection
    .statement<{ rows: string; pattern: string }, number>(
      `SELECT e.id FROM json_each(@rows) j JOIN entries e ON e.id = j.value
       WHERE e.text LIKE @pattern ESCAPE '\\' OR (e.tools IS NOT NULL AND EXISTS (
         SELECT 1 FROM tool_uses t
         WHERE t.entry_id = e.id AND (t.input LIKE @pattern ESCAPE '\\' OR t.output LIKE @pattern ESCAPE '\\')))
       ORDER BY j.key`,
    )
    .pluck();
  const usesOf = connection.statement<[string], UseRow>(
    `SELECT ${useColumns} FROM json_each(?) j JOIN tool_uses t ON t.entry_id = j.value ORDER BY j.key, t.id`,
  );
  const usesByRow = connection.statement<[string], ToolRow>(
    `SELECT t.use_id, e.uuid, t.tool, e.at, t.input, t.files, t.outcome, t.output FROM json_each(?) j
     JOIN tool_uses t ON t.id = j.value JOIN entries e ON e.id = t.entry_id ORDER BY j.key`,
  );
  const beginnings = connection.statement<[string], Omit<EntryBeginning, 'isPrompt'> & { isPrompt: number }>(
    `SELECT e.id AS row, e.uuid AS id, e.author = 'person' AS isPrompt, substr(e.text, 1, ${beginning}) AS text FROM json_each(?) j JOIN entries e ON e.id = j.value`,
  );

  return {
    async counts() {
      return run(() => {
        const conversations = Object.fromEntries(ConversationStatus.options.map((status) => [status, 0])) as Record<
          ConversationStatus,
          number
        >;
        const rows = connection.statement('SELECT status, count(*) AS n FROM conversations GROUP BY status').all() as {
          status: ConversationStatus;
          n: number;
        }[];
        for (const { status, n } of rows) conversations[status] = n;
        return {
          files: one('SELECT count(*) FROM files'),
          entries: one('SELECT count(*) FROM entries'),
          goneEntries: one('SELECT count(*) FROM entries WHERE gone = 1'),
          subagentEntries: one('SELECT count(*) FROM entries WHERE subagent IS NOT NULL'),
          toolUses: one('SELECT count(*) FROM tool_uses'),
          sessions: one('SELECT count(*) FROM sessions'),
          projects: one('SELECT count(*) FROM projects WHERE id IN (SELECT project_id FROM sessions)'),
          malformed: one('SELECT coalesce(sum(malformed), 0) FROM files'),
          conversations,
        };
      });
    },
    async find(id) {
      return run(() => {
        const sql = `SELECT ${entryColumns} FROM entries e JOIN sessions s ON s.id = e.session_id WHERE ${startsWith('e.uuid')} LIMIT 50`;
        return exactOrAll((connection.statement(sql).all(id, id) as EntryRow[]).map(toEntry), id);
      });
    },
    async at(rows) {
      return run(() =>
        fetch.all(JSON.stringify(rows)).map((row) => ({
          row: row.row,
          entry: toEntry(row),
          project: row.project ?? '',
          title: row.title ?? '',
        })),
      );
    },
    async beginningsAt(rows) {
      return run(() => beginnings.all(JSON.stringify(rows)).map((one) => ({ ...one, isPrompt: one.isPrompt === 1 })));
    },
    async containing(rows, text) {
      return run(() => containing.all({ rows: JSON.stringify(rows), pattern: likeAnywhere(text) }));
    },
    async usesAt(rows) {
      return run(() => usesOf.all(JSON.stringify(rows)).map(toUseAt));
    },
    async toolUses(entries) {
      return run(() => {
        const rows = connection
          .statement(
            `SELECT t.use_id, e.uuid, t.tool, e.at, t.input, t.files, t.outcome, t.output FROM json_each(?) j
             JOIN entries e ON e.uuid = j.value JOIN tool_uses t ON t.entry_id = e.id ORDER BY j.key, t.id`,
          )
          .all(JSON.stringify(entries)) as ToolRow[];
        return rows.map(toToolUse);
      });
    },
    async toolUsesAt(uses) {
      return run(() => usesByRow.all(JSON.stringify(uses)).map(toToolUse));
    },
  };
}
