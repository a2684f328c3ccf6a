// Scheduled tasks of groups.
import type { ScheduledTask, TaskContext, TaskKind, TaskRun } from '../../schema/task.ts';
import type { TaskId } from '../row-ids.ts';

export interface NewTask {
  readonly group: string;
  readonly prompt: string;
  readonly kind: TaskKind;
  readonly when: string;
  readonly timeZone: string;
  readonly context: TaskContext;
  readonly next: number;
}

/** Scheduled tasks. */
export interface TasksPort {
  /** Active tasks that are due and not running, in order of their due time. */
  due(now: number): Promise<readonly ScheduledTask[]>;
  /** Undefined if there is no such group. */
  add(task: NewTask, at: number): Promise<ScheduledTask | undefined>;
  /** By id; of one group, or of all. */
  list(group?: string): Promise<readonly ScheduledTask[]>;
  get(id: TaskId): Promise<ScheduledTask | undefined>;
  /** `next` is the due time after resuming. False if the task does not exist or is done. */
  setState(id: TaskId, state: 'active' | 'paused', next: number | undefined): Promise<boolean>;
  /** Also removes its log. False if there is no such task. */
  remove(id: TaskId): Promise<boolean>;
  /** Newest first. */
  runs(id: TaskId, limit: number): Promise<readonly TaskRun[]>;
}
