// Scheduled tasks. When one is due next is a column; that a run is at it, is the run's row.
import type { Database } from 'better-sqlite3';
import type { ScheduledTask, TaskContext, TaskKind, TaskRun, TaskState } from '../../schema/task.ts';
import { toMoment } from '../../schema/time.ts';
import type { HostStore, RunEnd } from '../host.ts';

type Run = <T>(work: () => T) => T;

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

export interface TaskEnd {
  readonly retryAt: number | undefined;
  readonly gaveUp: boolean;
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

type TaskMethods = 'addTask' | 'tasks' | 'task' | 'setTaskState' | 'removeTask' | 'taskRuns' | 'dueTasks';

export function taskRows(db: Database, read: Run, write: Run) {
  const add = db.prepare<unknown[], TaskRow>(
    `INSERT INTO tasks (group_name, prompt, kind, due, time_zone, context, state, created_at, next_at)
     SELECT @group, @prompt, @kind, @when, @timeZone, @context, 'active', @at, @next FROM groups WHERE name = @group RETURNING *`,
  );
  const all = db.prepare<[], TaskRow>('SELECT * FROM tasks ORDER BY id');
  const ofGroup = db.prepare<[string], TaskRow>('SELECT * FROM tasks WHERE group_name = ? ORDER BY id');
  const one = db.prepare<[number], TaskRow>('SELECT * FROM tasks WHERE id = ?');
  const setState = db.prepare(
    "UPDATE tasks SET state = @state, next_at = coalesce(@next, next_at), failures = 0 WHERE id = @id AND state <> 'done'",
  );
  const remove = db.prepare('DELETE FROM tasks WHERE id = ?');
  // A process may still be at it: its end finds the row, and no task.
  const removeLog = db.prepare('DELETE FROM host_runs WHERE task = ? AND ended_at IS NOT NULL');
  const log = db.prepare<
    [number, number],
    { id: number; started_at: number; ended_at: number | null; result: string | null; error: string | null }
  >('SELECT id, started_at, ended_at, result, error FROM host_runs WHERE task = ? ORDER BY id DESC LIMIT ?');
  const due = db.prepare<[number], TaskRow>(
    `SELECT * FROM tasks t WHERE state = 'active' AND next_at <= ?
       AND NOT EXISTS (SELECT 1 FROM host_runs r WHERE r.task = t.id AND r.ended_at IS NULL) ORDER BY next_at, id`,
  );
  const next = db
    .prepare<[number], number | null>("SELECT min(next_at) FROM tasks WHERE state = 'active' AND next_at > ?")
    .pluck();
  const finish = db.prepare(
    `UPDATE tasks SET next_at = @next, last_at = @startedAt, last_result = @result, last_error = @error, failures = 0,
       state = CASE WHEN @next IS NULL THEN 'done' ELSE state END,
       prompt = CASE WHEN @next IS NULL THEN '' ELSE prompt END WHERE id = @id`,
  );
  const putOff = db.prepare(
    'UPDATE tasks SET next_at = @next, last_at = @startedAt, last_error = @error, failures = @failures WHERE id = @id',
  );

  const methods: Pick<HostStore, TaskMethods> = {
    async addTask(task, at) {
      const row = write(() => add.get({ ...task, at }));
      return row && toTask(row);
    },
    async tasks(group) {
      return read(() => (group === undefined ? all.all() : ofGroup.all(group)).map(toTask));
    },
    async task(id) {
      const row = read(() => one.get(id));
      return row && toTask(row);
    },
    async setTaskState(id, state, nextAt) {
      return write(() => setState.run({ id, state, next: nextAt ?? null }).changes > 0);
    },
    async removeTask(id) {
      return write(() => {
        removeLog.run(id);
        return remove.run(id).changes > 0;
      });
    },
    async taskRuns(id, limit) {
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
    async dueTasks(now) {
      return read(() => due.all(now).map(toTask));
    },
  };

  return {
    methods,
    next: (now: number): number | null | undefined => next.get(now),
    /** Within the transaction that ends the run. */
    end(id: number, run: RunEnd & { readonly output: boolean; readonly startedAt: number }, at: number): TaskEnd {
      const row = one.get(id);
      if (row === undefined) return { retryAt: undefined, gaveUp: false };
      const { how, backoff, output, startedAt, result = null, error = null } = run;
      // Nobody was told anything: it is due as before.
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
