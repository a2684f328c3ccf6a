// Ends runs. The same transaction settles the messages that a run was handed, and plans the group's next attempt.
import { type IncomingRow, noRetriesSql, telling, waitingSql } from '../messages/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import { type TaskEnd, taskEnding } from '../tasks/ending.ts';
import type { RunRow } from './life.ts';
import type { RunEnd, RunEnded, RunsPort } from './port.ts';

export function runEnding(connection: Connection): Pick<RunsPort, 'end'> {
  const write = overwriting(connection);
  const tell = telling(connection);
  const tasks = taskEnding(connection);
  const waiting = connection.statement<[string], IncomingRow>(waitingSql);
  const handedTo = connection.statement<[number], IncomingRow>(
    "SELECT * FROM incoming WHERE run = ? AND state = 'handed'",
  );
  const settle = connection.statement(
    `UPDATE incoming SET state = @state, run = NULL, attempts = attempts + @failed,
       text = CASE WHEN @state = 'answered' THEN '' ELSE text END WHERE id = @id`,
  );
  const runRow = connection.statement<[number], RunRow>('SELECT * FROM host_runs WHERE id = ?');
  const endRun = connection.statement('UPDATE host_runs SET ended_at = ?, error = ?, result = ? WHERE id = ?');
  const failuresOf = connection
    .statement<[string], number>('SELECT failures FROM group_retries WHERE group_name = ?')
    .pluck();
  const putOff = connection.statement(
    `INSERT INTO group_retries (group_name, failures, not_before) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET failures = excluded.failures, not_before = excluded.not_before`,
  );
  const noRetries = connection.statement(noRetriesSql);
  /** Settles the messages that the run still has. Returns those that people got an answer to, and those given up. */
  function settleHanded(run: number, { how, mostAttempts }: RunEnd): { told: number[]; lost: number[] } {
    const told: number[] = [];
    const lost: number[] = [];
    for (const { id, output, attempts } of handedTo.all(run)) {
      const failed = how === 'ok' || output === 1 ? 0 : 1;
      const state = output === 1 ? 'answered' : attempts + failed >= mostAttempts ? 'given-up' : 'waiting';
      settle.run({ id, state, failed });
      if (state === 'answered') told.push(id);
      if (state === 'given-up') lost.push(id);
    }
    return { told, lost };
  }

  /** Plans the next attempt of a group that has failed, or gives up what still waits. Returns the wait, and what was given up. */
  function planRetry(group: string, { how, backoff }: RunEnd, at: number): { wait?: number; lost: number[] } {
    const left = waiting.all(group).map(({ id }) => id);
    if (how !== 'failed' || left.length === 0) return { lost: [] };
    const failures = (failuresOf.get(group) ?? 0) + 1;
    const wait = backoff[failures - 1];
    if (wait !== undefined) {
      putOff.run(group, failures, at + wait);
      return { wait, lost: [] };
    }
    for (const id of left) settle.run({ id, state: 'given-up', failed: 0 });
    noRetries.run(group);
    return { lost: left };
  }

  function endTalk(row: RunRow, end: RunEnd, at: number): RunEnded {
    const group = row.group_name;
    const { told, lost } = settleHanded(row.id, end);
    const { wait, lost: left } = planRetry(group, end, at);
    const answers = [...told, ...lost, ...left];
    const text = answers.length > told.length ? end.notices.unanswered : end.notices.cutOff;
    const notice = answers.length === 0 ? undefined : tell(group, 'notice', text, at, { answers });
    return { retryAt: wait === undefined ? undefined : at + wait, gaveUp: left.length > 0, notice };
  }

  return {
    async end(run, end, at) {
      return write(() => {
        const row = runRow.get(run);
        if (row === undefined || row.ended_at !== null) return { retryAt: undefined, gaveUp: false, notice: undefined };
        endRun.run(at, end.error ?? null, end.result ?? null, run);
        if (row.task === null) return endTalk(row, end, at);
        const ended: TaskEnd = tasks.end(row.task, { ...end, output: row.output === 1, startedAt: row.started_at }, at);
        const notice = ended.gaveUp
          ? tell(row.group_name, 'notice', end.notices.taskFailed, at, {
              task: row.task,
            })
          : undefined;
        return { ...ended, notice };
      });
    },
  };
}
