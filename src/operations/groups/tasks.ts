// Scheduled tasks of groups, for the person.
import { z } from 'zod';
import { ScheduledTask, TaskContext, TaskRun } from '../../schema/task.ts';
import { ring } from '../../sessions/groups/bell.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { GroupPorts } from '../ports.ts';
import { groupField, openNamed } from './groups.ts';
import { permitted } from './permitted.ts';

const id = z.int().min(1).describe('number of the task');

export const tasksList = operation({
  name: 'tasks',
  summary: 'List the scheduled tasks of groups',
  input: z.object({ group: groupField.optional().describe('only tasks of this group') }),
  output: z.object({ tasks: z.array(ScheduledTask) }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast tasks', 'holdfast tasks --group dev-team'],
  async run(context: Context<GroupPorts | 'tasks'>, { group }) {
    const name = group === undefined ? undefined : (await openNamed(context, group)).name;
    return { tasks: [...(await context.store.tasks.list(name))] };
  },
});

export const tasksAdd = operation({
  name: 'tasks add',
  summary: 'Send a prompt to the agent of a group at certain times: by cron, at an interval, or once',
  input: z.object({
    group: groupField,
    prompt: z.string().trim().min(1).max(20_000).meta({ description: 'the prompt to send', rest: true }),
    cron: z.string().min(1).optional().describe('minute, hour, day, month, weekday: "0 9 * * 1-5"'),
    every: z.string().min(1).optional().describe('interval: 30m, 2h, 1d'),
    at: z.string().min(1).optional().describe('once: 2026-03-01T14:30'),
    context: TaskContext.default('group').describe("group: joins the group's session; isolated: a fresh one each time"),
  }),
  output: z.object({ task: ScheduledTask }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['group', 'prompt'],
  examples: [
    'holdfast tasks add dev-team "Summarise yesterday\'s commits" --cron "0 9 * * 1-5"',
    'holdfast tasks add dev-team "Is the build green?" --every 30m --context isolated',
  ],
  async run(context: Context<GroupPorts | 'tasks'>, { group, prompt, cron, every, at, context: kind }) {
    const { store, clock, config } = context;
    const { name } = await openNamed(context, group);
    const given = [
      ['cron', cron],
      ['interval', every],
      ['once', at],
    ] as const;
    const [only, more] = given.filter(([, value]) => value !== undefined);
    if (only === undefined || more !== undefined)
      throw new HoldfastError('BAD_INPUT', 'Say when: exactly one of --cron, --every and --at', {
        hint: 'Example: holdfast tasks add dev-team "Is the build green?" --every 30m',
      });
    const { timeZone } = config.settings;
    const { parseSchedule } = await import('./schedule.ts');
    const schedule = parseSchedule(only[0], only[1] ?? '', { now: clock(), timeZone });
    const task = await store.tasks.add(
      { ...schedule, group: name, prompt: await permitted(prompt, 'The prompt'), context: kind },
      clock(),
    );
    if (task === undefined) throw new HoldfastError('NOT_FOUND', `There is no group ${name} any more`);
    await ring(config);
    return { task };
  },
});

export const tasksShow = operation({
  name: 'tasks show',
  summary: 'Show a scheduled task, and how its last runs ended',
  input: z.object({ id, limit: z.int().min(1).max(100).default(10).describe('at most this many runs') }),
  output: z.object({ task: ScheduledTask, runs: z.array(TaskRun) }),
  surfaces: ['cli', 'http'],
  positional: ['id'],
  examples: ['holdfast tasks show 3'],
  async run(context: Context<'tasks'>, { id: task, limit }) {
    return { task: await known(context, task), runs: [...(await context.store.tasks.runs(task, limit))] };
  },
});

export const tasksPause = operation({
  name: 'tasks pause',
  summary: 'Pause a scheduled task',
  input: z.object({ id }),
  output: z.object({ task: ScheduledTask }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id'],
  examples: ['holdfast tasks pause 3'],
  run: (context: Context<'tasks'>, { id: task }) => turn(context, task, 'paused'),
});

export const tasksResume = operation({
  name: 'tasks resume',
  summary: 'Resume a paused task, at its next time',
  input: z.object({ id }),
  output: z.object({ task: ScheduledTask }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id'],
  examples: ['holdfast tasks resume 3'],
  run: (context: Context<'tasks'>, { id: task }) => turn(context, task, 'active'),
});

export const tasksCancel = operation({
  name: 'tasks cancel',
  summary: 'Remove a scheduled task',
  input: z.object({ id }),
  output: z.object({ task: ScheduledTask.describe('the removed task') }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id'],
  examples: ['holdfast tasks cancel 3'],
  async run(context: Context<'tasks'>, { id: task }) {
    const before = await known(context, task);
    await context.store.tasks.remove(task);
    return { task: before };
  },
});

async function turn(
  context: Context<'tasks'>,
  task: number,
  state: 'active' | 'paused',
): Promise<{ task: ScheduledTask }> {
  const { store, clock, config } = context;
  const before = await known(context, task);
  const { nextAfter } = await import('./schedule.ts');
  const next = state === 'active' ? nextAfter(before, clock()) : undefined;
  if (!(await store.tasks.setState(task, state, next)))
    throw new HoldfastError('CONFLICT', `Task ${task} is done`, { hint: 'Add it again: holdfast tasks add --help' });
  await ring(config);
  return { task: await known(context, task) };
}

async function known({ store }: Context<'tasks'>, task: number): Promise<ScheduledTask> {
  const found = await store.tasks.get(task);
  if (found !== undefined) return found;
  throw new HoldfastError('NOT_FOUND', `There is no task ${task}`, { hint: 'See: holdfast tasks' });
}
