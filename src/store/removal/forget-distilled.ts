// Forgets one observation or summary. What was made from it is made again without it.
import type { Connection } from '../sqlite/connection.ts';
import { type DistilledRow, forgetLookup } from './forget-lookup.ts';
import { sharedSteps, type Work } from './forget-work.ts';
import { tombstone } from './tombstone.ts';
import { tombstoneRows } from './tombstones.ts';

export function distilledForgetting(connection: Connection) {
  const { entryNamed, sessionName } = forgetLookup(connection);
  const { name, forgetConversation, dropBriefings } = sharedSteps(connection);
  const tombstones = tombstoneRows(connection);
  const dropOne = {
    observation: connection.statement('DELETE FROM observations WHERE id = ?'),
    summary: connection.statement('DELETE FROM summaries WHERE id = ?'),
  };
  const dropClaimed = connection.statement("DELETE FROM jobs WHERE session_id = ? AND status = 'claimed'");
  const dropSummary = connection.statement('DELETE FROM summaries WHERE session_id = ?');
  const redoSummary = connection.statement("UPDATE jobs SET version = '' WHERE session_id = ? AND kind = 'summarize'");

  return (work: Work, kind: 'observation' | 'summary', row: DistilledRow): void => {
    const print = kind === 'observation' ? tombstone.observation(row.agent, row.first ?? '') : undefined;
    tombstones.add(print ?? tombstone.summary(row.agent, row.session), work.now);
    dropOne[kind].run(row.id);
    work.firstAt = Math.min(work.firstAt, row.at);
    dropBriefings(row, row.at, sessionName(row.session_id));
    dropClaimed.run(row.session_id);
    // Summaries and memories are made from observations, so they are made again without this one.
    if (kind === 'observation') {
      const first = entryNamed(row.agent, row.first ?? '');
      if (first !== undefined) forgetConversation(work, first);
      dropSummary.run(row.session_id);
      redoSummary.run(row.session_id);
    }
    work.touched.add(row.session_id);
    name(work, row.session_id);
  };
}
