// Writes observations and summaries with their search indexes. Ids derive from the subject, so distilling again gives
// the same id.

import { createHash } from 'node:crypto';
import type { AgentName } from '../../schema/agent-name.ts';
import type { PastSummary } from '../../schema/summary.ts';
import { tombstone } from '../removal/tombstone.ts';
import { tombstoneRows } from '../removal/tombstones.ts';
import { indexText } from '../search/index-text.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { NewObservation, NewSummary } from './port.ts';
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

const sessionIds = (connection: Connection) =>
  connection.statement<[string, string], number>('SELECT id FROM sessions WHERE session = ? AND agent = ?').pluck();

function observationWrites(connection: Connection) {
  const sessionId = sessionIds(connection);
  const tombstones = tombstoneRows(connection);
  const ownEntry = connection
    .statement<[string, number], number>('SELECT id FROM entries WHERE uuid = ? AND session_id = ?')
    .pluck();
  const observation = connection.statement<[number, number], ObservationRow>(
    `${selectObservation} FROM observations d ${joins} WHERE d.session_id = ? AND d.prompt = ?`,
  );
  // When a turn moves to another session (the file born first owns it), the row of its former session is deleted too.
  const replaceObservation = connection.statement(
    'DELETE FROM observations WHERE (session_id = ? AND prompt = ?) OR first_entry = ?',
  );
  const dropObservation = connection.statement('DELETE FROM observations WHERE session_id = ? AND prompt = ?');
  const addObservation = connection.statement(
    `INSERT INTO observations (uid, session_id, prompt, first_entry, at, type, title, subtitle, facts, narrative, concepts,
       files_read, files_modified, tools, by, tokens) VALUES (@uid, @session_id, @prompt, @first, @at, @type, @title, @subtitle, @facts,
       @narrative, @concepts, @files_read, @files_modified, @tools, @by, @tokens)`,
  );
  const addCitations = connection.statement(
    `INSERT INTO observation_entries (observation_id, place, entry_id)
     SELECT ?, j.key, e.id FROM json_each(?) j JOIN entries e ON e.uuid = j.value`,
  );
  const index = connection.statement('INSERT INTO observations_fts (rowid, title, text) VALUES (?, ?, ?)');

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
      index.run(id, indexText(given.title), indexText(observationText(given)));
      return true;
    },
    dropObservation(agent: AgentName, session: string, prompt: number): void {
      dropObservation.run(sessionId.get(session, agent) ?? null, prompt);
    },
  };
}

/** The session's summary. An earlier one that covers fewer prompts stays as a past summary. */
function summaryWrites(connection: Connection) {
  const sessionId = sessionIds(connection);
  const tombstones = tombstoneRows(connection);
  const summary = connection.statement<[number], SummaryRow>(
    `${selectSummary} FROM summaries d ${joins} WHERE d.session_id = ?`,
  );
  const dropSummary = connection.statement('DELETE FROM summaries WHERE session_id = ?');
  const addSummary = connection.statement(
    `INSERT INTO summaries (uid, session_id, at, prompts, title, request, investigated, learned, completed, outcome, next_steps,
       notes, files_read, files_modified, commits, by, tokens) VALUES (@uid, @session_id, @at, @prompts, @title, @request, @investigated,
       @learned, @completed, @outcome, @next_steps, @notes, @files_read, @files_modified, @commits, @by, @tokens)`,
  );
  const renewing = {
    begin: connection.statement('INSERT INTO summaries_renewing (session_id) VALUES (?) ON CONFLICT DO NOTHING'),
    end: connection.statement('DELETE FROM summaries_renewing WHERE session_id = ?'),
  };
  const putPast = connection.statement(
    'INSERT INTO past_summaries (session_id, prompts, json) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
  );
  // Drops summaries of turns that a truncated session no longer has.
  const dropPast = connection.statement('DELETE FROM past_summaries WHERE session_id = ? AND prompts >= ?');
  const index = connection.statement('INSERT INTO summaries_fts (rowid, title, text) VALUES (?, ?, ?)');

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
        commits: JSON.stringify(given.commits),
      });
      index.run(id, indexText(given.title), indexText(summaryText(given)));
      return true;
    },
    /** Adds summaries of earlier turns to the summary that the session has. */
    putPast({ agent, session, prompts }: NewSummary, past: readonly PastSummary[]): void {
      const id = sessionId.get(session, agent);
      // In the order in which `replaceSummary` writes, so that equal summaries are equal texts.
      for (const { at, prompts: covered, ...said } of past)
        if (id !== undefined && covered < prompts)
          putPast.run(id, covered, JSON.stringify({ at, prompts: covered, ...said }));
    },
    dropSummary(agent: AgentName, session: string): void {
      dropSummary.run(sessionId.get(session, agent) ?? null);
    },
  };
}

/** Writes and deletes without a transaction of their own: the caller must have begun one. */
export function distilledWrites(connection: Connection) {
  const { putObservation, dropObservation } = observationWrites(connection);
  const { putSummary, putPast, dropSummary } = summaryWrites(connection);
  return { putObservation, dropObservation, putSummary, putPast, dropSummary };
}

/** Whether the stored row has all of the given values. */
export const isSame = (stored: object, given: object): boolean =>
  Object.entries(given).every(
    ([name, value]) => JSON.stringify((stored as Record<string, unknown>)[name]) === JSON.stringify(value),
  );
