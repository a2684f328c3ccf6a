// Imports observations, summaries and jobs of an export.
import { withParts } from '../../schema/completed-text.ts';
import { distilledWrites } from '../distilled/writing.ts';
import type { Connection } from '../sqlite/connection.ts';
import { conversationRow, sessionRow } from './simple-rows.ts';
import type { Is, Takes } from './takes.ts';

export function derivedRows(connection: Connection): Takes<'observation' | 'summary' | 'job'> {
  const writes = distilledWrites(connection);
  const hasObservation = connection.statement(
    `SELECT 1 FROM observations WHERE session_id = ${sessionRow} AND prompt = @prompt`,
  );
  const hasSummary = connection.statement(`SELECT 1 FROM summaries WHERE session_id = ${sessionRow}`);
  const addJob = connection.statement(
    `INSERT INTO jobs (kind, session_id, subject, version, status, material_at, not_before, attempts, error, by, tokens, updated_at)
     SELECT @kind, s.id, CASE @kind WHEN 'remember' THEN ${conversationRow} ELSE @subject END, @version, @status, @at, 0, @attempts, @error, @by, @tokens, @updatedAt
     FROM sessions s WHERE s.agent = @agent AND s.session = @session AND (@kind <> 'remember' OR ${conversationRow} IS NOT NULL)
     ON CONFLICT (session_id, kind, subject) DO UPDATE SET version = excluded.version, status = excluded.status, by = excluded.by,
       tokens = excluded.tokens, error = excluded.error, attempts = excluded.attempts, updated_at = excluded.updated_at, not_before = 0
     WHERE jobs.status = 'ready' AND jobs.attempts = 0`,
  );
  const endJob = connection.statement(
    `UPDATE jobs SET status = @status, by = @by, tokens = @tokens, updated_at = @updatedAt
     WHERE session_id = ${sessionRow} AND kind = @kind AND subject = @subject AND status = 'ready'`,
  );

  return {
    observation: (row) => {
      const { is: _, ...given } = row as Is<'observation'>;
      if (hasObservation.get(given) !== undefined) return 0;
      return Number(writes.putObservation(given));
    },
    summary: (row) => {
      const { is: _, past = [], ...rest } = row as Is<'summary'>;
      const given = withParts(rest);
      if (hasSummary.get(given) !== undefined) return 0;
      const isTaken = writes.putSummary(given);
      if (isTaken) writes.putPast(given, past.map(withParts));
      return Number(isTaken);
    },
    job: (row) => {
      const { version, ...job } = row as Is<'job'>;
      if (version === null) return endJob.run(job).changes;
      return addJob.run({ ...job, version, firstPos: job.subject }).changes;
    },
  };
}
