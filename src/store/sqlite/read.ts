// Rows → the words of the schema: sessions, projects, tool uses, counts.
import type { Database } from 'better-sqlite3';
import { agentNamed } from '../../agents/index.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { ConversationStatus } from '../../schema/conversation.ts';
import type { Author, Entry, EntryForm, Role } from '../../schema/entry.ts';
import { everyone } from '../../schema/group.ts';
import type { Session } from '../../schema/session.ts';
import type { FactKind, TitleSource } from '../../schema/session-fact.ts';
import type { SessionStatus } from '../../schema/session-state.ts';
import { toMoment } from '../../schema/time.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import { followLinks } from '../links.ts';
import type { ProjectFilter, SessionScope, Store } from '../store.ts';
import { allLinks } from './links.ts';

export interface EntryRow {
  uuid: string;
  session: string;
  agent: AgentName;
  role: Role;
  author: Author;
  form: EntryForm | null;
  at: number;
  text: string;
  tools: string | null;
  subagent: string | null;
  abandoned: number;
  gone: number;
}

export const entryColumns =
  'e.uuid, s.session, s.agent, e.role, e.author, e.form, e.at, e.text, e.tools, e.subagent, e.abandoned, e.gone';

export const toEntry = (row: EntryRow): Entry => ({
  id: row.uuid,
  session: row.session,
  agent: row.agent,
  role: row.role,
  author: row.author,
  ...(row.form === null ? {} : { form: row.form }),
  at: toMoment(row.at),
  text: row.text,
  tools: row.tools === null ? [] : (JSON.parse(row.tools) as string[]),
  ...(row.subagent === null ? {} : { subagent: row.subagent }),
  abandoned: row.abandoned === 1,
  ...(row.gone === 1 ? { gone: true } : {}),
});

interface SessionRow {
  session: string;
  agent: AgentName;
  name: string | null;
  path: string | null;
  cwd: string | null;
  title: string | null;
  title_by: TitleSource | null;
  facts: string | null;
  copied_from: string | null;
  started_at: number | null;
  ended_at: number | null;
  entries: number;
  subagent_entries: number;
  tool_uses: number;
  state: SessionStatus | null;
  label: string | null;
}

/** The name that the person gave to a session; else the agent's; else that of its account, if there is one; else what it began with. */
export const titleOfSession = `coalesce((SELECT l.name FROM session_labels l WHERE l.agent = s.agent AND l.session = s.session),
  CASE WHEN s.title_by IS NOT NULL OR EXISTS (SELECT 1 FROM file_sessions n WHERE n.session_id = s.id AND n.title IS NOT NULL) THEN s.title
  ELSE coalesce((SELECT m.title FROM summaries m WHERE m.session_id = s.id), s.title) END) AS title`;

const sessionColumns = `s.session, s.agent, p.name, p.path, s.cwd, ${titleOfSession}, s.title_by, s.started_at, s.ended_at, s.entries, s.subagent_entries,
  (SELECT json_group_array(json_array(x.kind, x.value) ORDER BY f.born_at DESC, f.key, x.pos DESC) FROM session_facts x
     JOIN files f ON f.id = x.file_id WHERE x.session_id = s.id) AS facts,
  (SELECT o.session FROM entry_copies k JOIN entries e ON e.id = k.entry_id JOIN sessions o ON o.id = e.session_id
     WHERE k.session_id = s.id AND e.session_id <> s.id ORDER BY k.pos LIMIT 1) AS copied_from,
  (SELECT count(*) FROM entries e JOIN tool_uses t ON t.entry_id = e.id WHERE e.session_id = s.id) AS tool_uses,
  (SELECT t.status FROM session_states t WHERE t.agent = s.agent AND t.session = s.session) AS state,
  (SELECT json_array(l.name, l.starred, json(l.tags)) FROM session_labels l WHERE l.agent = s.agent AND l.session = s.session) AS label`;

function toSession(row: SessionRow): Session {
  const resume = agentNamed(row.agent)?.resume(row.session).join(' ') || undefined;
  return {
    id: row.session,
    agent: row.agent,
    project: row.name ?? '',
    projectPath: row.path ?? '',
    cwd: row.cwd ?? '',
    title: row.title ?? '',
    ...factsOf(row),
    ...labelOf(row),
    startedAt: toMoment(row.started_at ?? 0),
    endedAt: toMoment(row.ended_at ?? 0),
    entries: row.entries,
    subagentEntries: row.subagent_entries,
    toolUses: row.tool_uses,
    ...(row.state === null ? {} : { state: row.state }),
    ...(resume === undefined ? {} : { resume }),
  };
}

function labelOf({ label }: SessionRow): Partial<Session> {
  if (label === null) return {};
  const [name, starred, tags] = JSON.parse(label) as [string | null, number, string[]];
  return {
    ...(name === null ? {} : { titleSource: 'person' }),
    ...(starred === 1 ? { starred: true } : {}),
    ...(tags.length > 0 ? { tags } : {}),
  };
}

/** The last value of each kind, and all where there may be several. */
function factsOf({ facts, title_by, copied_from }: SessionRow): Partial<Session> {
  const said = JSON.parse(facts ?? '[]') as [FactKind, string][];
  const all = (kind: FactKind) => [...new Set(said.filter(([of]) => of === kind).map(([, value]) => value))];
  const [branches, links] = [all('branch'), all('link')];
  const [repository] = all('repository');
  const [parent] = all('parent');
  const [subagent] = all('subagent');
  const forkOf = all('fork-of')[0] ?? copied_from ?? undefined;
  return {
    ...(title_by === null ? {} : { titleSource: title_by }),
    ...(branches[0] === undefined ? {} : { branch: branches[0] }),
    ...(branches.length > 1 ? { branches } : {}),
    ...(repository === undefined ? {} : { repository }),
    ...(links.length > 0 ? { links } : {}),
    ...(parent === undefined ? {} : { parent }),
    ...(forkOf === undefined ? {} : { forkOf }),
    ...(subagent === undefined ? {} : { subagent }),
  };
}

/** SQL conditions on `s` (sessions) and, for a project, `s.project_id`. */
export function sessionConditions(
  db: Database,
  filter: SessionScope,
): { where: string[]; values: (string | number)[] } {
  const where: string[] = [];
  const values: (string | number)[] = [];
  if (filter.agent !== undefined) {
    where.push('s.agent = ?');
    values.push(filter.agent);
  }
  const member = 'SELECT 1 FROM group_sessions m WHERE m.agent = s.agent AND m.session = s.session';
  if (filter.group === undefined) {
    if (hasGroups(db)) where.push(`NOT EXISTS (${member})`);
  } else if (filter.group !== everyone) {
    where.push(`EXISTS (${member} AND m.group_name = ?)`);
    values.push(filter.group);
  }
  const labelled = 'SELECT 1 FROM session_labels l WHERE l.agent = s.agent AND l.session = s.session';
  if (filter.starred) where.push(`EXISTS (${labelled} AND l.starred = 1)`);
  if (filter.tag !== undefined) {
    where.push(`EXISTS (${labelled} AND EXISTS (SELECT 1 FROM json_each(l.tags) WHERE value = ?))`);
    values.push(filter.tag);
  }
  if (filter.project !== undefined) {
    const ids = projectIds(db, filter.project);
    where.push(`s.project_id IN (${ids.join(', ') || 'NULL'})`);
  }
  return { where, values };
}

const hasGroups = (db: Database): boolean =>
  db.prepare('SELECT EXISTS (SELECT 1 FROM group_sessions)').pluck().get() === 1;

/**
 * The same for many entries at once, as conditions on a row of `entries_fts f`. Where no group is named, the few entries of
 * groups are left out by a list of theirs: a list of all others would take longer than the search.
 */
export function entryScope(db: Database, filter: SessionScope): { where: string[]; values: (string | number)[] } {
  const { where, values } = sessionConditions(db, { ...filter, group: filter.group ?? everyone });
  const conditions =
    where.length === 0
      ? []
      : [
          `+f.rowid IN (SELECT x.id FROM sessions s JOIN entries x ON x.session_id = s.id WHERE ${where.join(' AND ')})`,
        ];
  if (filter.group === undefined && hasGroups(db))
    conditions.push(`+f.rowid NOT IN (SELECT x.id FROM group_sessions m JOIN sessions s ON s.session = m.session AND s.agent = m.agent
      JOIN entries x ON x.session_id = s.id)`);
  return { where: conditions, values };
}

export function projectIds(db: Database, filter: ProjectFilter): number[] {
  if ('name' in filter) {
    return db.prepare('SELECT id FROM projects WHERE name = ? COLLATE NOCASE').pluck().all(filter.name) as number[];
  }
  // The innermost project that the path lies in; below no project, the projects that lie below the path.
  const inside = db.prepare(
    "SELECT id FROM projects WHERE ? = path OR substr(?, 1, length(path) + 1) = path || '/' ORDER BY length(path) DESC LIMIT 1",
  );
  const folder = followLinks(filter.path, allLinks(db));
  const found = inside.pluck().all(folder, folder) as number[];
  if (found.length > 0) return found;
  const below = db.prepare("SELECT id FROM projects WHERE substr(path, 1, length(?) + 1) = ? || '/'");
  return below.pluck().all(folder, folder) as number[];
}

/** SQL for a column that begins with a text, which is bound twice. */
export const startsWith = (column: string): string => `${column} >= ? AND ${column} < ? || x'f48fbfbf'`;

type Run = <T>(work: () => T) => T;

export function reader(
  db: Database,
  run: Run,
): Pick<Store, 'counts' | 'projectPlaces' | 'projects' | 'sessions' | 'findSessions' | 'findEntries' | 'toolUses'> {
  const places = db.prepare<[], { id: number; path: string; name: string }>(
    'SELECT id, path, name FROM projects WHERE id IN (SELECT project_id FROM sessions) ORDER BY path',
  );
  const repositories = db.prepare<[], { project: number; value: string }>(
    `SELECT DISTINCT s.project_id AS project, x.value FROM session_facts x JOIN sessions s ON s.id = x.session_id
     WHERE x.kind = 'repository' AND s.project_id IS NOT NULL ORDER BY x.value`,
  );
  const one = (sql: string): number => db.prepare(sql).pluck().get() as number;

  return {
    async counts() {
      return run(() => {
        const conversations = Object.fromEntries(ConversationStatus.options.map((status) => [status, 0])) as Record<
          ConversationStatus,
          number
        >;
        const rows = db.prepare('SELECT status, count(*) AS n FROM conversations GROUP BY status').all() as {
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
    async projectPlaces() {
      return run(() => {
        const named = new Map<number, string[]>();
        for (const { project, value } of repositories.all()) named.set(project, [...(named.get(project) ?? []), value]);
        return places.all().map(({ id, path, name }) => ({ path, name, repositories: named.get(id) ?? [] }));
      });
    },
    async projects() {
      return run(() => {
        const rows = db
          .prepare(
            `SELECT p.name, p.path, count(*) AS sessions, sum(s.entries) AS entries, max(s.ended_at) AS last
             FROM projects p JOIN sessions s ON s.project_id = p.id GROUP BY p.id ORDER BY last DESC, p.path`,
          )
          .all() as { name: string; path: string; sessions: number; entries: number; last: number | null }[];
        return rows.map(({ last, ...row }) => ({ ...row, lastActivityAt: toMoment(last ?? 0) }));
      });
    },
    async sessions(filter) {
      return run(() => {
        const { where, values } = sessionConditions(db, filter);
        if (filter.since !== undefined) {
          where.push('s.ended_at >= ?');
          values.push(filter.since);
        }
        if (filter.until !== undefined) {
          where.push('s.started_at < ?');
          values.push(filter.until);
        }
        const sql = `SELECT ${sessionColumns} FROM sessions s LEFT JOIN projects p ON p.id = s.project_id
          ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY s.ended_at DESC, s.session LIMIT ?`;
        return (db.prepare(sql).all(...values, filter.limit ?? -1) as SessionRow[]).map(toSession);
      });
    },
    async findSessions(id) {
      return run(() => {
        const sql = `SELECT ${sessionColumns} FROM sessions s LEFT JOIN projects p ON p.id = s.project_id
          WHERE ${startsWith('s.session')} ORDER BY s.session <> ?, s.ended_at DESC LIMIT 50`;
        return exactOrAll((db.prepare(sql).all(id, id, id) as SessionRow[]).map(toSession), id);
      });
    },
    async findEntries(id) {
      return run(() => {
        const sql = `SELECT ${entryColumns} FROM entries e JOIN sessions s ON s.id = e.session_id WHERE ${startsWith('e.uuid')} LIMIT 50`;
        return exactOrAll((db.prepare(sql).all(id, id) as EntryRow[]).map(toEntry), id);
      });
    },
    async toolUses(entries) {
      return run(() => {
        const rows = db
          .prepare(
            `SELECT t.use_id, e.uuid, t.tool, e.at, t.input, t.files, t.outcome, t.output FROM json_each(?) j
             JOIN entries e ON e.uuid = j.value JOIN tool_uses t ON t.entry_id = e.id ORDER BY j.key, t.id`,
          )
          .all(JSON.stringify(entries)) as ToolRow[];
        return rows.map(toToolUse);
      });
    },
  };
}

export interface ToolRow {
  use_id: string;
  uuid: string;
  tool: string;
  at: number;
  input: string;
  files: string | null;
  outcome: 'ok' | 'error' | null;
  output: string | null;
}

export const toToolUse = (row: ToolRow): ToolUse => ({
  id: row.use_id,
  entry: row.uuid,
  tool: row.tool,
  at: toMoment(row.at),
  input: row.input,
  files: row.files === null ? [] : (JSON.parse(row.files) as string[]),
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...(row.output === null ? {} : { output: row.output }),
});

/** An id that is given whole means that one, even where it begins others. */
export function exactOrAll<T extends { id: string }>(found: readonly T[], id: string): readonly T[] {
  const exact = found.filter((item) => item.id === id);
  return exact.length > 0 ? exact : found;
}
