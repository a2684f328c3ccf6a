// Data for briefings. Every query is bounded and uses an index, because it runs while an agent waits to start.

import { type EntryRow, entryColumns, type ToolRow, toEntry, toToolUse } from '../entries/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { SessionGlance, SessionsPort } from './port.ts';
import { titleOfSession } from './rows.ts';

/** How many entries back from its end a session is searched. */
const reach = 200;
const lastEntries = 16;
const lastPrompts = 4;
const lastToolEntries = 12;

const ofPerson = "e.session_id = s.id AND e.author = 'person'";
/** Only the group itself sees what its agent wrote. */
const ofNoGroup = 'NOT EXISTS (SELECT 1 FROM group_sessions m WHERE m.agent = s.agent AND m.session = s.session)';
const inMain = 'e.subagent IS NULL AND e.abandoned = 0';

export const digestSql = {
  digest: `SELECT p.name, p.path, count(*) AS sessions, min(s.started_at) AS firstAt, max(s.ended_at) AS lastAt
    FROM projects p JOIN sessions s ON s.project_id = p.id
    WHERE p.id = ? AND ${ofNoGroup} AND EXISTS (SELECT 1 FROM entries e WHERE ${ofPerson}) GROUP BY p.id`,
  recent: `SELECT * FROM (
      SELECT s.session AS id, s.agent, ${titleOfSession}, s.cwd, s.started_at AS startedAt, s.ended_at AS endedAt,
        (SELECT substr(e.text, 1, 2000) FROM entries e WHERE ${ofPerson} AND ${inMain}
         AND substr(e.text, 1, 1) NOT IN ('/', '!') ORDER BY e.pos LIMIT 1) AS asked
      FROM projects p JOIN sessions s ON s.project_id = p.id WHERE p.path = ? AND ${ofNoGroup} ORDER BY s.ended_at DESC)
    WHERE asked IS NOT NULL LIMIT ?`,
  prompts: `SELECT ${entryColumns} FROM sessions s JOIN entries e ON ${ofPerson}
    WHERE s.session = ? AND s.agent = ? AND ${inMain} ORDER BY e.pos DESC LIMIT ${lastPrompts}`,
  entries: `SELECT ${entryColumns} FROM (
      SELECT e.id FROM sessions s JOIN entries e ON e.session_id = s.id WHERE s.session = ? AND s.agent = ? AND ${inMain}
      ORDER BY e.pos DESC LIMIT ${reach}) l
    JOIN entries e ON e.id = l.id JOIN sessions s ON s.id = e.session_id
    WHERE e.tools IS NULL OR e.text <> '' ORDER BY e.pos DESC LIMIT ${lastEntries}`,
  toolUses: `SELECT t.use_id, e.uuid, t.tool, e.at, t.input, t.files, t.outcome, t.output FROM (
      SELECT r.id FROM (
        SELECT e.id, e.pos, e.tools FROM sessions s JOIN entries e ON e.session_id = s.id
        WHERE s.session = ? AND s.agent = ? AND ${inMain} ORDER BY e.pos DESC LIMIT ${reach}) r
      WHERE r.tools IS NOT NULL ORDER BY r.pos DESC LIMIT ${lastToolEntries}) l
    JOIN entries e ON e.id = l.id JOIN tool_uses t ON t.entry_id = e.id ORDER BY e.pos, t.id`,
  touches: `SELECT t.files, t.tool, t.outcome = 'error' AS failed, e.at, s.session, s.cwd
    FROM sessions s CROSS JOIN entries e INDEXED BY entries_with_tools ON e.session_id = s.id JOIN tool_uses t ON t.entry_id = e.id
    WHERE s.session = ? AND s.agent = ? AND e.tools IS NOT NULL AND e.abandoned = 0 AND t.files IS NOT NULL
    ORDER BY e.pos DESC LIMIT ?`,
} as const;

export function digests(connection: Connection): Pick<SessionsPort, 'recent' | 'ending'> {
  const { read: run } = connection;
  const recent = connection.statement<[string, number], SessionGlance>(digestSql.recent);
  const prompts = connection.statement<[string, string], EntryRow>(digestSql.prompts);
  const entries = connection.statement<[string, string], EntryRow>(digestSql.entries);
  const toolUses = connection.statement<[string, string], ToolRow>(digestSql.toolUses);

  return {
    async recent(projectPath, limit) {
      return run(() =>
        recent.all(projectPath, limit).map((row) => ({ ...row, title: row.title ?? '', cwd: row.cwd ?? '' })),
      );
    },
    async ending(agent, session) {
      return run(() => ({
        prompts: prompts.all(session, agent).map(toEntry),
        entries: entries.all(session, agent).reverse().map(toEntry),
        toolUses: toolUses.all(session, agent).map(toToolUse),
      }));
    },
  };
}
