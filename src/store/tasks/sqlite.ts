// The port of scheduled tasks. The next due time is a column; an open run's row shows that a task is running.

import type { ScheduledTask, TaskContext, TaskKind, TaskRun, TaskState } from '../../schema/task.ts';
import { toMoment } from '../../schema/time.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { TasksPort } from './port.ts';

interface TaskRow {
  readonly id: number;
  readonly group_name: string;
  readonly prompt: string;
  readonly kind: TaskKind;
  readonly due: string;
  readonly time_zone: string;
  readonly context: TaskContext;
  readonly state: TaskState;
  readonly created_at: number;
  readonly next_at: number | null;
  readonly last_at: number | null;
  readonly last_result: string | null;
  readonly last_error: string | null;
  readonly failures: number;
}

const toTask = (row: TaskRow): ScheduledTask => ({
  id: row.id,
  group: row.group_name,
  prompt: row.prompt,
  kind: row.kind,
  when: row.due,
  timeZone: row.time_zone,
  context: row.context,
  state: row.state,
  createdAt: toMoment(row.created_at),
  ...(row.next_at === null || row.state !== 'active' ? {} : { nextAt: toMoment(row.next_at) }),
  ...(row.last_at === null ? {} : { lastAt: toMoment(row.last_at) }),
  ...(row.last_result === null ? {} : { lastResult: row.last_result }),
  ...(row.last_error === null ? {} : { lastError: row.last_error }),
  failures: row.failures,
});

export function tasksPort(connection: Connection): TasksPort {
  const { read } = connection;
  const write = overwriting(connection);
  const add = connection.statement<unknown[], TaskRow>(
    `INSERT INTO tasks (group_name, prompt, kind, due, time_zone, context, state, created_at, next_at)
     SELECT @group, @prompt, @kind, @when, @timeZone, @context, 'active', @at, @next FROM groups WHERE name = @group RETURNING *`,
  );
  const all = connection.statement<[], TaskRow>('SELECT * FROM tasks ORDER BY id');
  const ofGroup = connection.statement<[string], TaskRow>('SELECT * FROM tasks WHERE group_name = ? ORDER BY id');
  const one = connection.statement<[number], TaskRow>('SELECT * FROM tasks WHERE id = ?');
  const setState = connection.statement(
    "UPDATE tasks SET state = @state, next_at = coalesce(@next, next_at), failures = 0 WHERE id = @id AND state <> 'done'",
  );
  const remove = connection.statement('DELETE FROM tasks WHERE id = ?');
  // A process may still be running the task. When it ends, it finds its run's row but no task.
  const removeLog = connection.statement('DELETE FROM host_runs WHERE task = ? AND ended_at IS NOT NULL');
  const log = connection.statement<
    [number, number],
    { id: number; started_at: number; ended_at: number | null; result: string | null; error: string | null }
  >('SELECT id, started_at, ended_at, result, error FROM host_runs WHERE task = ? ORDER BY id DESC LIMIT ?');
  const due = connection.statement<[number], TaskRow>(
    `SELECT * FROM tasks t WHERE state = 'active' AND next_at <= ?
       AND NOT EXISTS (SELECT 1 FROM host_runs r WHERE r.task = t.id AND r.ended_at IS NULL) ORDER BY next_at, id`,
  );

  return {
    async add(task, at) {
      const row = write(() => add.get({ ...task, at }));
      return row && toTask(row);
    },
    async list(group) {
      return read(() => (group === undefined ? all.all() : ofGroup.all(group)).map(toTask));
    },
    async get(id) {
      const row = read(() => one.get(id));
      return row && toTask(row);
    },
    async setState(id, state, nextAt) {
      return write(() => setState.run({ id, state, next: nextAt ?? null }).changes > 0);
    },
    async remove(id) {
      return write(() => {
        removeLog.run(id);
        return remove.run(id).changes > 0;
      });
    },
    async runs(id, limit) {
      return read(() =>
        log.all(id, limit).map(
          (row): TaskRun => ({
            run: row.id,
            startedAt: toMoment(row.started_at),
            ...(row.ended_at === null ? {} : { endedAt: toMoment(row.ended_at) }),
            ...(row.result === null ? {} : { result: row.result }),
            ...(row.error === null ? {} : { error: row.error }),
          }),
        ),
      );
    },
    async due(now) {
      return read(() => due.all(now).map(toTask));
    },
  };
}
