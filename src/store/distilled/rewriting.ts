// Rewrites the texts of observations and summaries.
import type { TextChange } from '../removal/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { NewObservation, NewSummary } from './port.ts';
import {
  joins,
  type ObservationRow,
  type SummaryRow,
  selectObservation,
  selectSummary,
  toObservation,
  toSummary,
} from './rows.ts';
import { distilledWrites, isSame } from './writing.ts';

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
    for (const name of [
      'title',
      'request',
      'investigated',
      'learned',
      'completed',
      'outcome',
      'nextSteps',
      'notes',
    ] as const)
      next[name] = change.text(old[name]);
    next.filesRead = json(old.filesRead);
    next.filesModified = json(old.filesModified);
    next.commits = json(old.commits);
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
