// Ends claimed jobs: with a result, with a failure, or as if they had never been claimed.
import { distilledWrites } from '../distilled/writing.ts';
import type { Connection } from '../sqlite/connection.ts';
import { givingBack } from './giving-back.ts';
import type { JobResult, JobsPort } from './port.ts';
import { type JobRow, select } from './rows.ts';
import { spender } from './spending.ts';

export function jobEnding(connection: Connection): Pick<JobsPort, 'finish' | 'fail' | 'release'> {
  const { write } = connection;
  const { giveBack } = givingBack(connection);
  const spend = spender(connection);
  const distilled = distilledWrites(connection);
  const held = connection.statement<[number, string], JobRow>(
    `${select} WHERE j.id = ? AND j.claimant = ? AND j.status = 'claimed'`,
  );
  const heldBy = connection.statement<[string], JobRow>(`${select} WHERE j.status = 'claimed' AND j.claimant = ?`);
  const done = connection.statement(
    `UPDATE jobs SET status = CASE WHEN version = claimed_version THEN 'done' ELSE 'ready' END, claimant = NULL,
       claimed_version = NULL, lease_until = NULL, reserved = 0, attempts = 0, error = NULL, by = @by,
       tokens = tokens + @tokens, updated_at = @now WHERE id = @id`,
  );
  const archive = connection.statement(
    "UPDATE conversations SET status = 'archived', lease_until = NULL, reason = NULL WHERE id = ? AND status = 'processing'",
  );

  function keep({ agent, session, subject }: JobRow, result: JobResult): void {
    if (result.kind === 'remember') archive.run(subject);
    else if (result.kind === 'observe') {
      if (result.observation !== undefined) distilled.putObservation(result.observation);
      else distilled.dropObservation(agent, session, subject);
    } else if (result.summary !== undefined) distilled.putSummary(result.summary);
    else distilled.dropSummary(agent, session);
  }

  return {
    async finish(claimant, results, now, spent) {
      return write(() => {
        if (spent !== undefined) spend(spent, now);
        return results.flatMap((result) => {
          const { id, by, tokens } = result;
          const row = held.get(id, claimant);
          // Another process has claimed the job, or it was cancelled or deleted: drop this result.
          if (row === undefined) return [];
          keep(row, result);
          done.run({ id, by, tokens, now });
          return [id];
        });
      });
    },
    async fail(claimant, ids, { error, retryAt, waitsFor, maxAttempts, words }, now, spent) {
      return write(() => {
        if (spent !== undefined) spend(spent, now);
        for (const id of ids) {
          const row = held.get(id, claimant);
          if (row === undefined) continue;
          const status = row.attempts >= maxAttempts ? 'failed' : 'ready';
          giveBack(row, now, { status, notBefore: retryAt, waitsFor, error }, words);
        }
      });
    },
    async release(claimant, now, wait) {
      write(() => {
        for (const row of heldBy.all(claimant)) {
          const { until = row.not_before, reason } = wait ?? {};
          giveBack(row, now, { status: 'ready', attempts: row.attempts - 1, notBefore: until, waitsFor: reason });
        }
      });
    },
  };
}
