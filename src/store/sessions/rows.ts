// Rows → sessions, and session filters → SQL.

import { agentNamed } from '../../agents/index.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { everyone } from '../../schema/group.ts';
import type { Session } from '../../schema/session.ts';
import type { FactKind, TitleSource } from '../../schema/session-fact.ts';
import type { SessionStatus } from '../../schema/session-state.ts';
import { toMoment } from '../../schema/time.ts';
import { projectIds } from '../projects/ids.ts';
import type { Statements } from '../sqlite/connection.ts';
import type { SessionScope } from './port.ts';

export interface SessionRow {
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

/**
 * The title of a session: the person's name for it, else the agent's
 * title, else the summary's title, else its first prompt.
 */
export const titleOfSession = `coalesce((SELECT l.name FROM session_labels l WHERE l.agent = s.agent AND l.session = s.session),
  CASE WHEN s.title_by IS NOT NULL OR EXISTS (SELECT 1 FROM file_sessions n WHERE n.session_id = s.id AND n.title IS NOT NULL) THEN s.title
  ELSE coalesce((SELECT m.title FROM summaries m WHERE m.session_id = s.id), s.title) END) AS title`;

export const sessionColumns = `s.session, s.agent, coalesce(p.label, p.name) AS name, p.path, s.cwd, ${titleOfSession}, s.title_by, s.started_at, s.ended_at, s.entries, s.subagent_entries,
  (SELECT json_group_array(json_array(x.kind, x.value) ORDER BY f.born_at DESC, f.key, x.pos DESC) FROM session_facts x
     JOIN files f ON f.id = x.file_id WHERE x.session_id = s.id) AS facts,
  (SELECT o.session FROM entry_copies k JOIN entries e ON e.id = k.entry_id JOIN sessions o ON o.id = e.session_id
     WHERE k.session_id = s.id AND e.session_id <> s.id ORDER BY k.pos LIMIT 1) AS copied_from,
  s.tool_uses,
  (SELECT t.status FROM session_states t WHERE t.agent = s.agent AND t.session = s.session) AS state,
  (SELECT json_array(l.name, l.starred, json(l.tags)) FROM session_labels l WHERE l.agent = s.agent AND l.session = s.session) AS label`;

export function toSession(row: SessionRow): Session {
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

/** The last value of each kind; all values of kinds that may have several. */
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
  connection: Statements,
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
    if (hasGroups(connection)) where.push(`NOT EXISTS (${member})`);
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
    const ids = projectIds(connection, filter.project);
    where.push(`s.project_id IN (${ids.join(', ') || 'NULL'})`);
  }
  return { where, values };
}

const hasGroups = (connection: Statements): boolean =>
  connection.statement('SELECT EXISTS (SELECT 1 FROM group_sessions)').pluck().get() === 1;

/**
 * The same for many entries at once, as conditions on a row of `entries_fts f`. Without a group, it excludes the few
 * entries of groups by a list: a list of all others would take longer than the search.
 */
export function entryScope(
  connection: Statements,
  filter: SessionScope,
): { where: string[]; values: (string | number)[] } {
  const { where, values } = sessionConditions(connection, { ...filter, group: filter.group ?? everyone });
  const conditions =
    where.length === 0
      ? []
      : [
          `+f.rowid IN (SELECT x.id FROM sessions s JOIN entries x ON x.session_id = s.id WHERE ${where.join(' AND ')})`,
        ];
  if (filter.group === undefined && hasGroups(connection))
    conditions.push(`+f.rowid NOT IN (SELECT x.id FROM group_sessions m JOIN sessions s ON s.session = m.session AND s.agent = m.agent
      JOIN entries x ON x.session_id = s.id)`);
  return { where: conditions, values };
}
