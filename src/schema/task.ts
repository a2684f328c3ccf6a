import { z } from 'zod';
import { Moment } from './time.ts';

export const TaskKind = z.enum(['cron', 'interval', 'once']);
export type TaskKind = z.infer<typeof TaskKind>;

/** `group`: the prompt joins the group's session. `isolated`: it gets a new session each time. */
export const TaskContext = z.enum(['group', 'isolated']);
export type TaskContext = z.infer<typeof TaskContext>;

export const TaskState = z.enum(['active', 'paused', 'done']);
export type TaskState = z.infer<typeof TaskState>;

/** A prompt that a group's agent gets at scheduled times. */
export const ScheduledTask = z.object({
  id: z.int(),
  group: z.string(),
  prompt: z.string(),
  kind: TaskKind,
  when: z.string().describe('a cron expression, milliseconds, or a moment'),
  timeZone: z.string().describe('the time zone of a cron expression'),
  context: TaskContext,
  state: TaskState,
  createdAt: Moment,
  nextAt: Moment.optional(),
  lastAt: Moment.optional(),
  lastResult: z.string().optional(),
  lastError: z.string().optional(),
  failures: z.int().describe('consecutive attempts that failed without output'),
});
export type ScheduledTask = z.infer<typeof ScheduledTask>;

export const TaskRun = z.object({
  run: z.int(),
  startedAt: Moment,
  endedAt: Moment.optional(),
  result: z.string().optional(),
  error: z.string().optional(),
});
export type TaskRun = z.infer<typeof TaskRun>;
