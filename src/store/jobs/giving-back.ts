// Ends claims without a result, in the caller's transaction.
import type { Connection } from '../sqlite/connection.ts';
import type { JobWords } from './port.ts';
import type { JobRow } from './rows.ts';

export interface GivenBack {
  readonly status: 'ready' | 'failed';
  readonly notBefore?: number;
  readonly waitsFor?: string | undefined;
  readonly attempts?: number;
  readonly error?: string | null;
}

export function givingBack(connection: Connection) {
  const give = connection.statement(
    `UPDATE jobs SET status = @status, claimant = NULL, claimed_version = NULL, lease_until = NULL, reserved = 0,
       not_before = @notBefore, waits_for = @waitsFor, attempts = @attempts, error = @error, updated_at = @now WHERE id = @id`,
  );
  const requeue = connection.statement(
    "UPDATE conversations SET status = 'queued', lease_until = NULL, reason = ? WHERE id = ? AND status = 'processing'",
  );

  /** Without words, the conversation's reason is the error itself. */
  function giveBack(row: JobRow, now: number, to: GivenBack, words?: Pick<JobWords, 'givenUp'>): void {
    // New material resets the attempts.
    const isOld = row.version !== row.claimed_version;
    const { notBefore = row.not_before, waitsFor = null, attempts = row.attempts, error = row.error } = to;
    give.run({
      id: row.id,
      now,
      ...(isOld
        ? { status: 'ready', notBefore: row.not_before, waitsFor: null, attempts: 0, error: null }
        : { status: to.status, notBefore, waitsFor, attempts, error }),
    });
    if (row.kind !== 'remember') return;
    const isGivenUp = to.status === 'failed' && error !== null && words !== undefined;
    requeue.run(isGivenUp ? words.givenUp(error) : error, row.subject);
  }

  return {
    giveBack,
    /** Starts over: the job may be tried at once, as if it had never been tried. */
    makeReady(id: number, now: number): void {
      give.run({ id, now, status: 'ready', notBefore: 0, waitsFor: null, attempts: 0, error: null });
    },
    cancel(row: JobRow, now: number, reason: string | undefined): void {
      const { id, attempts, error } = row;
      give.run({ id, now, status: 'cancelled', notBefore: 0, waitsFor: null, attempts, error });
      if (row.kind === 'remember') requeue.run(reason ?? null, row.subject);
    },
  };
}
