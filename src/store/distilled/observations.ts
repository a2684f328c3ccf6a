// Observations and summaries as rows, with their search indexes. Ids derive from the subject, so distilling again gives
// the same id.

import { createHash } from 'node:crypto';
import type { AgentName } from '../../schema/agent-name.ts';
import { everyone } from '../../schema/group.ts';
import type { Summary } from '../../schema/summary.ts';
import type { TextChange } from '../removal/port.ts';
import { tombstone } from '../removal/tombstone.ts';
import { tombstoneRows } from '../removal/tombstones.ts';
import { indexText } from '../search/index-text.ts';
import { sessionConditions } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { exactOrAll, startsWith } from '../sqlite/ids.ts';
import type { DistilledFilter, DistilledPort, NewObservation, NewSummary, ObservationFilter } from './port.ts';
import {
  joins,
  type ObservationRow,
  observationText,
  type SummaryRow,
  selectObservation,
  selectSummary,
  summaryText,
  toObservation,
  toSummary,
} from './rows.ts';

const idOf = (mark: string, ...parts: readonly (string | number)[]): string =>
  mark + createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 12);

/** Writes and deletes without a transaction of their own: the caller must have begun one. */
export function distilledWrites(connection: Connection) {
  const sessionId = connection
    .statement<[string, string], number>('SELECT id FROM sessions WHERE session = ? AND agent = ?')
    .pluck();
  const ownEntry = connection
    .statement<[string, number], number>('SELECT id FROM entries WHERE uuid = ? AND session_id = ?')
    .pluck();
  const observation = connection.statement<[number, number], ObservationRow>(
    `${selectObservation} FROM observations d ${joins} WHERE d.session_id = ? AND d.prompt = ?`,
  );
  const summary = connection.statement<[number], SummaryRow>(
    `${selectSummary} FROM summaries d ${joins} WHERE d.session_id = ?`,
  );
  // When a turn moves to another session (the file born first owns it), the row of its former session is deleted too.
  const replaceObservation = connection.statement(
    'DELETE FROM observations WHERE (session_id = ? AND prompt = ?) OR first_entry = ?',
  );
  const dropObservation = connection.statement('DELETE FROM observations WHERE session_id = ? AND prompt = ?');
  const dropSummary = connection.statement('DELETE FROM summaries WHERE session_id = ?');
  const addObservation = connection.statement(
    `INSERT INTO observations (uid, session_id, prompt, first_entry, at, type, title, subtitle, facts, narrative, concepts,
       files_read, files_modified, tools, by, tokens) VALUES (@uid, @session_id, @prompt, @first, @at, @type, @title, @subtitle, @facts,
       @narrative, @concepts, @files_read, @files_modified, @tools, @by, @tokens)`,
  );
  const addCitations = connection.statement(
    `INSERT INTO observation_entries (observation_id, place, entry_id)
     SELECT ?, j.key, e.id FROM json_each(?) j JOIN entries e ON e.uuid = j.value`,
  );
  const addSummary = connection.statement(
    `INSERT INTO summaries (uid, session_id, at, prompts, title, request, investigated, learned, completed, next_steps, notes,
       files_read, files_modified, by, tokens) VALUES (@uid, @session_id, @at, @prompts, @title, @request, @investigated, @learned,
       @completed, @next_steps, @notes, @files_read, @files_modified, @by, @tokens)`,
  );
  const index = {
    observations: connection.statement('INSERT INTO observations_fts (rowid, title, text) VALUES (?, ?, ?)'),
    summaries: connection.statement('INSERT INTO summaries_fts (rowid, title, text) VALUES (?, ?, ?)'),
  };

  const renewing = {
    begin: connection.statement('INSERT INTO summaries_renewing (session_id) VALUES (?) ON CONFLICT DO NOTHING'),
    end: connection.statement('DELETE FROM summaries_renewing WHERE session_id = ?'),
  };
  const putPast = connection.statement(
    'INSERT INTO past_summaries (session_id, prompts, json) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
  );
  // Drops summaries of turns that a truncated session no longer has.
  const dropPast = connection.statement('DELETE FROM past_summaries WHERE session_id = ? AND prompts >= ?');
  const tombstones = tombstoneRows(connection);

  /** Keeps the previous summary as a past one if it covers fewer prompts. */
  function replaceSummary(session: number, before: SummaryRow | undefined, prompts: number): void {
    renewing.begin.run(session);
    dropSummary.run(session);
    renewing.end.run(session);
    if (before !== undefined && before.prompts < prompts) {
      const { id: _, project: __, agent: ___, session: ____, ...past } = toSummary(before);
      putPast.run(session, before.prompts, JSON.stringify(past));
    }
    dropPast.run(session, prompts);
  }

  return {
    /** Replaces the turn's previous observation. False, with nothing stored, if the turn no longer exists. */
    putObservation(given: NewObservation): boolean {
      if (tombstones.any() && tombstones.has(tombstone.observation(given.agent, given.entries[0] ?? ''))) return false;
      const session = sessionId.get(given.session, given.agent);
      const first = session === undefined ? undefined : ownEntry.get(given.entries[0] ?? '', session);
      if (session === undefined || first === undefined) return false;
      const before = observation.get(session, given.prompt);
      const uid = idOf('o', given.agent, given.session, given.prompt);
      if (before !== undefined && isSame(toObservation(before), given)) return true;
      replaceObservation.run(session, given.prompt, first);
      const { lastInsertRowid: id } = addObservation.run({
        ...given,
        uid,
        session_id: session,
        first,
        at: Date.parse(given.at),
        facts: JSON.stringify(given.facts),
        concepts: JSON.stringify(given.concepts),
        files_read: JSON.stringify(given.filesRead),
        files_modified: JSON.stringify(given.filesModified),
        tools: JSON.stringify(given.tools),
        entries: undefined,
      });
      addCitations.run(id, JSON.stringify([...new Set(given.entries)]));
      index.observations.run(id, indexText(given.title), indexText(observationText(given)));
      return true;
    },
    /**
     * Replaces the session's summary. The previous one stays as a past summary if it covers fewer prompts. False, with
     * nothing stored, if there is no such session.
     */
    putSummary(given: NewSummary): boolean {
      if (tombstones.any() && tombstones.has(tombstone.summary(given.agent, given.session))) return false;
      const session = sessionId.get(given.session, given.agent);
      if (session === undefined) return false;
      const before = summary.get(session);
      if (before !== undefined && isSame(toSummary(before), given)) return true;
      replaceSummary(session, before, given.prompts);
      const { lastInsertRowid: id } = addSummary.run({
        ...given,
        uid: idOf('s', given.agent, given.session),
        session_id: session,
        at: Date.parse(given.at),
        next_steps: given.nextSteps,
        files_read: JSON.stringify(given.filesRead),
        files_modified: JSON.stringify(given.filesModified),
      });
      index.summaries.run(id, indexText(given.title), indexText(summaryText(given)));
      return true;
    },
    dropObservation(agent: AgentName, session: string, prompt: number): void {
      dropObservation.run(sessionId.get(session, agent) ?? null, prompt);
    },
    dropSummary(agent: AgentName, session: string): void {
      dropSummary.run(sessionId.get(session, agent) ?? null);
    },
  };
}

/** Applies a change to the texts of all rows; returns how many changed. Runs in the caller's transaction. */
export function rewriteDistilled(connection: Connection, change: TextChange): number {
  const writes = distilledWrites(connection);
  const json = (list: readonly string[]) => list.map((text) => change.text(text)).filter((text) => text !== '');
  let changed = 0;
  for (const row of connection
    .statement(`${selectObservation} FROM observations d ${joins}`)
    .all() as ObservationRow[]) {
    const { id: _, project: __, ...old } = toObservation(row);
    const [title, subtitle, narrative] = [old.title, old.subtitle, old.narrative].map((text) => change.text(text));
    const next = {
      ...old,
      title,
      subtitle,
      narrative,
      facts: json(old.facts),
      concepts: json(old.concepts),
      filesRead: json(old.filesRead),
      filesModified: json(old.filesModified),
      tools: json(old.tools),
    };
    if (isSame(old, next as NewObservation)) continue;
    changed++;
    writes.putObservation(next as NewObservation);
  }
  for (const row of connection.statement(`${selectSummary} FROM summaries d ${joins}`).all() as SummaryRow[]) {
    const { id: _, project: __, ...old } = toSummary(row);
    const next: NewSummary = { ...old };
    for (const name of ['title', 'request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const)
      next[name] = change.text(old[name]);
    next.filesRead = json(old.filesRead);
    next.filesModified = json(old.filesModified);
    if (isSame(old, next)) continue;
    changed++;
    writes.putSummary(next);
  }
  const setPast = connection.statement('UPDATE past_summaries SET json = ? WHERE session_id = ? AND prompts = ?');
  const past = connection.statement<[], { session_id: number; prompts: number; json: string }>(
    'SELECT * FROM past_summaries',
  );
  for (const { session_id, prompts, json: old } of past.all()) {
    const next = change.json(old);
    if (next === old) continue;
    changed++;
    setPast.run(next, session_id, prompts);
  }
  return changed;
}

const isSame = (stored: object, given: object): boolean =>
  Object.entries(given).every(
    ([name, value]) => JSON.stringify((stored as Record<string, unknown>)[name]) === JSON.stringify(value),
  );

export function distilledRows(
  connection: Connection,
): Pick<
  DistilledPort,
  'observations' | 'summaries' | 'pastSummaries' | 'findObservations' | 'findSummaries' | 'counts'
> {
  const { read } = connection;
  function list<T>(select: string, table: string, filter: ObservationFilter): T[] {
    const { where, values } = conditions(connection, filter);
    const sql = `${select} FROM ${table} d ${joins} ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
      ORDER BY d.at DESC, d.id DESC LIMIT ?`;
    return connection.statement(sql).all(...values, filter.limit ?? -1) as T[];
  }

  const past = connection.statement<
    [string, string],
    { uid: string; project: string | null; prompts: number; json: string }
  >(
    `SELECT d.uid, p.name AS project, x.prompts, x.json FROM past_summaries x JOIN summaries d ON d.session_id = x.session_id ${joins}
     WHERE s.session = ? AND s.agent = ? ORDER BY x.prompts`,
  );
  const byUid = <T>(select: string, table: string, id: string): T[] =>
    connection.statement(`${select} FROM ${table} d ${joins} WHERE ${startsWith('d.uid')} LIMIT 50`).all(id, id) as T[];

  return {
    async observations(filter) {
      return read(() => list<ObservationRow>(selectObservation, 'observations', filter).map(toObservation));
    },
    async summaries(filter) {
      return read(() => list<SummaryRow>(selectSummary, 'summaries', filter).map(toSummary));
    },
    async pastSummaries({ agent, session }) {
      return read(() =>
        past.all(session, agent).map(({ uid, project, prompts, json }) => ({
          ...(JSON.parse(json) as Omit<Summary, 'id' | 'session' | 'agent' | 'project'>),
          ...{ id: `${uid}-${prompts}`, session, agent, project: project ?? '' },
        })),
      );
    },
    async findObservations(id) {
      return read(() =>
        exactOrAll(byUid<ObservationRow>(selectObservation, 'observations', id).map(toObservation), id),
      );
    },
    async findSummaries(id) {
      return read(() => exactOrAll(byUid<SummaryRow>(selectSummary, 'summaries', id).map(toSummary), id));
    },
    async counts() {
      return read(() => ({
        observations: connection.statement('SELECT count(*) FROM observations').pluck().get() as number,
        summaries: connection.statement('SELECT count(*) FROM summaries').pluck().get() as number,
      }));
    },
  };
}

/** SQL conditions on `d`, the row itself, and `s`, its session. */
export function conditions(
  connection: Connection,
  filter: ObservationFilter | DistilledFilter,
): { where: string[]; values: (string | number)[] } {
  // A filter that names a session needs no group: the caller knows whose session it is.
  const group = filter.group ?? (filter.session === undefined ? undefined : everyone);
  const { where, values } = sessionConditions(connection, { ...filter, group });
  const add = (condition: string, ...given: (string | number)[]) => {
    where.push(condition);
    values.push(...given);
  };
  if (filter.session !== undefined) add(startsWith('s.session'), filter.session, filter.session);
  if (filter.since !== undefined) add('d.at >= ?', filter.since);
  if (filter.until !== undefined) add('d.at < ?', filter.until);
  if ('type' in filter && filter.type !== undefined) add('d.type = ?', filter.type);
  if (filter.file !== undefined) {
    const file = filter.file.replace(/^\.\//, '');
    const named = 'SELECT value FROM json_each(d.files_modified) UNION ALL SELECT value FROM json_each(d.files_read)';
    add(
      `EXISTS (SELECT 1 FROM (${named}) WHERE value = ? OR substr(value, -length(?) - 1) = '/' || ? OR p.path || '/' || value = ?)`,
      file,
      file,
      file,
      file,
    );
  }
  return { where, values };
}
