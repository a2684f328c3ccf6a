// Scheduled tasks of groups.
import type { ScheduledTask, TaskContext, TaskKind, TaskRun } from '../../schema/task.ts';

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
  /** Active tasks whose time has come, and that no run is at, in the order of their time. */
  due(now: number): Promise<readonly ScheduledTask[]>;
  /** Undefined when there is no such group. */
  add(task: NewTask, at: number): Promise<ScheduledTask | undefined>;
  /** By id; of one group, or all. */
  list(group?: string): Promise<readonly ScheduledTask[]>;
  get(id: number): Promise<ScheduledTask | undefined>;
  /** `next` is when it is due after it was resumed. False when there is no such task, or it is done. */
  setState(id: number, state: 'active' | 'paused', next: number | undefined): Promise<boolean>;
  /** With its log. False when there is none. */
  remove(id: number): Promise<boolean>;
  /** Newest first. */
  runs(id: number, limit: number): Promise<readonly TaskRun[]>;
}
