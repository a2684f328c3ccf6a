// The port of runs. The transaction that ends a run also settles the messages that it was handed.

import { type IncomingRow, mostAttempts, noRetriesSql, telling, waitingSql } from '../messages/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import { type TaskEnd, taskEnding } from '../tasks/ending.ts';
import type { HostRun, RunEnd, RunEnded, RunsPort } from './port.ts';

interface RunRow {
  readonly id: number;
  readonly group_name: string;
  readonly task: number | null;
  readonly epoch: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly pid: number | null;
  readonly pid_started: string | null;
  readonly output: 0 | 1;
  readonly error: string | null;
}

const toRun = (row: RunRow): HostRun => ({
  id: row.id,
  group: row.group_name,
  task: row.task ?? undefined,
  epoch: row.epoch,
  startedAt: row.started_at,
  endedAt: row.ended_at ?? undefined,
  pid: row.pid ?? undefined,
  pidStarted: row.pid_started ?? undefined,
  output: row.output === 1,
  error: row.error ?? undefined,
});

export function runsPort(connection: Connection): RunsPort {
  const { read } = connection;
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
  const beginRun = connection.statement(
    'INSERT INTO host_runs (group_name, task, epoch, started_at) VALUES (?, ?, ?, ?)',
  );
  const noteProcess = connection.statement('UPDATE host_runs SET pid = ?, pid_started = ? WHERE id = ?');
  const runRow = connection.statement<[number], RunRow>('SELECT * FROM host_runs WHERE id = ?');
  const openRuns = connection.statement<[], RunRow>('SELECT * FROM host_runs WHERE ended_at IS NULL ORDER BY id');
  const endRun = connection.statement('UPDATE host_runs SET ended_at = ?, error = ?, result = ? WHERE id = ?');
  const lastErrors = connection.statement<[], { group: string; at: number; error: string }>(
    `SELECT r.group_name AS "group", r.ended_at AS at, r.error FROM host_runs r WHERE r.error IS NOT NULL AND r.id =
       (SELECT max(id) FROM host_runs WHERE group_name = r.group_name AND error IS NOT NULL) ORDER BY 1`,
  );
  const failuresOf = connection
    .statement<[string], number>('SELECT failures FROM group_retries WHERE group_name = ?')
    .pluck();
  const putOff = connection.statement(
    `INSERT INTO group_retries (group_name, failures, not_before) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET failures = excluded.failures, not_before = excluded.not_before`,
  );
  const noRetries = connection.statement(noRetriesSql);
  const dueGroups = connection
    .statement<[number], string>(
      `SELECT m.group_name FROM incoming m LEFT JOIN group_retries r ON r.group_name = m.group_name
       WHERE m.state = 'waiting' AND coalesce(r.not_before, 0) <= ?
       GROUP BY m.group_name ORDER BY max(min(m.arrived_at), coalesce(r.not_before, 0)), min(m.id)`,
    )
    .pluck();
  const nextRetry = connection
    .statement<[number], number | null>(
      `SELECT min(not_before) FROM group_retries r WHERE not_before > ?
         AND EXISTS (SELECT 1 FROM incoming m WHERE m.group_name = r.group_name AND m.state = 'waiting')`,
    )
    .pluck();
  const queues = connection.statement<
    [],
    {
      group: string;
      waiting: number;
      handed: number;
      givenUp: number;
      notBefore: number | null;
      failures: number;
    }
  >(
    `SELECT m.group_name AS "group", sum(m.state = 'waiting') AS waiting, sum(m.state = 'handed') AS handed,
       sum(m.state = 'given-up') AS givenUp, r.not_before AS notBefore, coalesce(r.failures, 0) AS failures
     FROM incoming m LEFT JOIN group_retries r ON r.group_name = m.group_name
     WHERE m.state IN ('waiting', 'handed', 'given-up') GROUP BY m.group_name ORDER BY m.group_name`,
  );

  /** Settles the messages that the run still has, and schedules the group's next attempt. */
  function endTalk(row: RunRow, { how, notices, backoff }: RunEnd, at: number): RunEnded {
    const group = row.group_name;
    const told: number[] = [];
    const lost: number[] = [];
    for (const { id, output, attempts } of handedTo.all(row.id)) {
      const failed = how === 'ok' || output === 1 ? 0 : 1;
      const state = output === 1 ? 'answered' : attempts + failed >= mostAttempts ? 'given-up' : 'waiting';
      settle.run({ id, state, failed });
      if (state === 'answered') told.push(id);
      if (state === 'given-up') lost.push(id);
    }
    const left = waiting.all(group).map(({ id }) => id);
    const failures = how === 'failed' && left.length > 0 ? (failuresOf.get(group) ?? 0) + 1 : 0;
    const wait = backoff[failures - 1];
    const gaveUp = failures > 0 && wait === undefined;
    if (gaveUp) {
      for (const id of left) settle.run({ id, state: 'given-up', failed: 0 });
      lost.push(...left);
      noRetries.run(group);
    } else if (wait !== undefined) putOff.run(group, failures, at + wait);
    const notice =
      lost.length > 0
        ? tell(group, 'notice', notices.unanswered, at, { answers: [...told, ...lost] })
        : told.length > 0
          ? tell(group, 'notice', notices.cutOff, at, { answers: told })
          : undefined;
    return { retryAt: wait === undefined ? undefined : at + wait, gaveUp, notice };
  }

  return {
    async begin({ group, task, epoch }, at) {
      return write(() => Number(beginRun.run(group, task ?? null, epoch, at).lastInsertRowid));
    },
    async noteProcess(run, pid, started) {
      write(() => noteProcess.run(pid, started ?? null, run));
    },
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
    async open() {
      return read(() => openRuns.all().map(toRun));
    },
    async lastErrors() {
      return read(() => lastErrors.all());
    },
    async dueGroups(now) {
      return read(() => dueGroups.all(now));
    },
    async nextDue(now) {
      const moments = read(() => [nextRetry.get(now), tasks.next(now)]).filter((one) => typeof one === 'number');
      return moments.length === 0 ? undefined : Math.min(...(moments as number[]));
    },
    async queues() {
      return read(() => queues.all().map((row) => ({ ...row, notBefore: row.notBefore ?? undefined })));
    },
  };
}
