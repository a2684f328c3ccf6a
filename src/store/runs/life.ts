// Runs as they begin and go on, and how the last ones failed.
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { HostRun, RunsPort } from './port.ts';

export interface RunRow {
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

export function runLife(connection: Connection): Pick<RunsPort, 'begin' | 'noteProcess' | 'open' | 'lastErrors'> {
  const { read } = connection;
  const write = overwriting(connection);
  const beginRun = connection.statement(
    'INSERT INTO host_runs (group_name, task, epoch, started_at) VALUES (?, ?, ?, ?)',
  );
  const noteProcess = connection.statement('UPDATE host_runs SET pid = ?, pid_started = ? WHERE id = ?');
  const openRuns = connection.statement<[], RunRow>('SELECT * FROM host_runs WHERE ended_at IS NULL ORDER BY id');
  const lastErrors = connection.statement<[], { group: string; at: number; error: string }>(
    `SELECT r.group_name AS "group", r.ended_at AS at, r.error FROM host_runs r WHERE r.error IS NOT NULL AND r.id =
       (SELECT max(id) FROM host_runs WHERE group_name = r.group_name AND error IS NOT NULL) ORDER BY 1`,
  );

  return {
    async begin({ group, task, epoch }, at) {
      return write(() => Number(beginRun.run(group, task ?? null, epoch, at).lastInsertRowid));
    },
    async noteProcess(run, pid, started) {
      write(() => noteProcess.run(pid, started ?? null, run));
    },
    async open() {
      return read(() => openRuns.all().map(toRun));
    },
    async lastErrors() {
      return read(() => lastErrors.all());
    },
  };
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
