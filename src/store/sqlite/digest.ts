// What a briefing is made of. Every query is bounded and led by an index: it runs while an agent waits to start.
import type { Database } from 'better-sqlite3';
import { followLinks, isWithin } from '../links.ts';
import type { ProjectDigest, SessionGlance, Store, Touch } from '../store.ts';
import { allLinks } from './links.ts';
import { type EntryRow, entryColumns, projectIds, type ToolRow, titleOfSession, toEntry, toToolUse } from './read.ts';

type Run = <T>(work: () => T) => T;

/** How far back from its end a session is looked at. */
const reach = 200;
const lastEntries = 16;
const lastPrompts = 4;
const lastToolEntries = 12;

const ofPerson = "e.session_id = s.id AND e.author = 'person'";
/** What a group's agent wrote is told to that group alone. */
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
    WHERE e.tools IS NULL OR substr(e.text, 1, 13) <> '[Used tools: ' ORDER BY e.pos DESC LIMIT ${lastEntries}`,
  toolUses: `SELECT t.use_id, e.uuid, t.tool, e.at, t.input, t.files, t.outcome, t.output FROM (
      SELECT r.id FROM (
        SELECT e.id, e.pos, e.tools FROM sessions s JOIN entries e ON e.session_id = s.id
        WHERE s.session = ? AND s.agent = ? AND ${inMain} ORDER BY e.pos DESC LIMIT ${reach}) r
      WHERE r.tools IS NOT NULL ORDER BY r.pos DESC LIMIT ${lastToolEntries}) l
    JOIN entries e ON e.id = l.id JOIN tool_uses t ON t.entry_id = e.id ORDER BY e.pos, t.id`,
  touches: `SELECT t.files, t.tool, t.outcome = 'error' AS failed, e.at, s.session, s.cwd
    FROM sessions s JOIN entries e ON e.session_id = s.id JOIN tool_uses t ON t.entry_id = e.id
    WHERE s.session = ? AND s.agent = ? AND e.abandoned = 0 AND e.tools IS NOT NULL AND t.files IS NOT NULL
    ORDER BY e.pos DESC LIMIT ?`,
} as const;

interface TouchRow {
  files: string;
  tool: string;
  failed: number | null;
  at: number;
  session: string;
  cwd: string | null;
}

export function digests(
  db: Database,
  run: Run,
): Pick<Store, 'projectDigest' | 'recentSessions' | 'sessionEnding' | 'touches'> {
  const digest = db.prepare<[number], ProjectDigest>(digestSql.digest);
  const recent = db.prepare<[string, number], SessionGlance>(digestSql.recent);
  const prompts = db.prepare<[string, string], EntryRow>(digestSql.prompts);
  const entries = db.prepare<[string, string], EntryRow>(digestSql.entries);
  const toolUses = db.prepare<[string, string], ToolRow>(digestSql.toolUses);
  const touches = db.prepare<[string, string, number], TouchRow>(digestSql.touches);

  return {
    async projectDigest(project) {
      return run(() => {
        const folder = 'path' in project ? followLinks(project.path, allLinks(db)) : undefined;
        const found = projectIds(db, project)
          .flatMap((id) => digest.get(id) ?? [])
          .filter(({ path }) => folder === undefined || isWithin(folder, path));
        return found.sort((a, b) => b.lastAt - a.lastAt || (a.path < b.path ? -1 : 1))[0];
      });
    },
    async recentSessions(projectPath, limit) {
      return run(() =>
        recent.all(projectPath, limit).map((row) => ({ ...row, title: row.title ?? '', cwd: row.cwd ?? '' })),
      );
    },
    async sessionEnding(agent, session) {
      return run(() => ({
        prompts: prompts.all(session, agent).map(toEntry),
        entries: entries.all(session, agent).reverse().map(toEntry),
        toolUses: toolUses.all(session, agent).map(toToolUse),
      }));
    },
    async touches(sessions, limit) {
      return run(() => {
        const found: Touch[] = [];
        for (const { agent, id } of sessions) {
          if (found.length >= limit) break;
          for (const { files, ...row } of touches.all(id, agent, limit - found.length))
            for (const file of JSON.parse(files) as string[])
              found.push({ ...row, file, failed: row.failed === 1, cwd: row.cwd ?? '' });
        }
        return found;
      });
    },
  };
}
