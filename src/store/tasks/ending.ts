// The end of a run ends, repeats or postpones its task.

import type { RunEnd } from '../runs/port.ts';
import type { Connection } from '../sqlite/connection.ts';

export interface TaskEnd {
  readonly retryAt: number | undefined;
  readonly gaveUp: boolean;
}

interface TaskRow {
  readonly next_at: number | null;
  readonly failures: number;
}

export function taskEnding(connection: Connection) {
  const one = connection.statement<[number], TaskRow>('SELECT next_at, failures FROM tasks WHERE id = ?');
  const next = connection
    .statement<[number], number | null>("SELECT min(next_at) FROM tasks WHERE state = 'active' AND next_at > ?")
    .pluck();
  const finish = connection.statement(
    `UPDATE tasks SET next_at = @next, last_at = @startedAt, last_result = @result, last_error = @error, failures = 0,
       state = CASE WHEN @next IS NULL THEN 'done' ELSE state END,
       prompt = CASE WHEN @next IS NULL THEN '' ELSE prompt END WHERE id = @id`,
  );
  const putOff = connection.statement(
    'UPDATE tasks SET next_at = @next, last_at = @startedAt, last_error = @error, failures = @failures WHERE id = @id',
  );

  return {
    next: (now: number): number | null | undefined => next.get(now),
    /** Call it in the transaction that ends the run. */
    end(id: number, run: RunEnd & { readonly output: boolean; readonly startedAt: number }, at: number): TaskEnd {
      const row = one.get(id);
      if (row === undefined) return { retryAt: undefined, gaveUp: false };
      const { how, backoff, output, startedAt, result = null, error = null } = run;
      // The run produced nothing, so the task stays due as before.
      if (how !== 'failed' && !output && result === null) return { retryAt: row.next_at ?? undefined, gaveUp: false };
      const failures = how === 'failed' && !output ? row.failures + 1 : 0;
      const wait = backoff[failures - 1];
      if (wait !== undefined) {
        putOff.run({ id, next: at + wait, startedAt, error, failures });
        return { retryAt: at + wait, gaveUp: false };
      }
      finish.run({ id, next: run.next ?? null, startedAt, result, error });
      return { retryAt: undefined, gaveUp: failures > 0 };
    },
  };
}
