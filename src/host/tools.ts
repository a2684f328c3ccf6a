// What the agent of a group can do through the host, beside its sessions: speak, remember, recall, and be woken later. Its channel says
// which group it is; only main may name another.
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { redact } from '../capture/redaction/redact.ts';
import { permitted } from '../operations/groups/permitted.ts';
import { nextAfter, parseSchedule } from '../operations/groups/schedule.ts';
import type { Context } from '../operations/operation.ts';
import { search } from '../recall/search.ts';
import { mainGroup } from '../schema/group.ts';
import type { LiveWord } from '../schema/group-message.ts';
import { localTime } from '../schema/local-time.ts';
import { type ScheduledTask, TaskContext, TaskKind } from '../schema/task.ts';
import { groupMemoryFile } from '../sessions/groups/group-folders.ts';
import { groupTools } from '../sessions/groups/group-tools.ts';
import type { GroupSessions } from '../sessions/groups/groups.ts';
import { readAtMost } from '../system/beneath.ts';
import { HoldfastError } from '../system/errors.ts';
import { allowMessage, allowTask } from './allowance.ts';
import type { GroupTools, ToolRun } from './run.ts';

export interface ToolDeps {
  readonly context: Context;
  readonly open: (group: string) => Promise<GroupSessions>;
  /** Imports what the group's agent has written so far. */
  readonly takeIn: (group: string) => Promise<void>;
  readonly tell: (word: LiveWord) => void;
  readonly wake: () => void;
}

interface Caller extends ToolDeps {
  readonly group: string;
  readonly run: ToolRun;
}

interface OwnTool {
  readonly name: string;
  readonly description: string;
  /** Strict: an unknown field is refused. */
  readonly input: z.ZodObject;
  /** For main: has the field that names another group. */
  readonly forOthers?: true;
  run(caller: Caller, input: Record<string, unknown>): Promise<string>;
}

const tool = <Input extends z.ZodObject>(
  declared: Omit<OwnTool, 'input' | 'run'> & {
    input: Input;
    run(caller: Caller, input: z.output<Input> & { group?: string }): Promise<string>;
  },
): OwnTool => declared;

const id = z.int().describe('from list_tasks');
const otherGroup = z.string().min(1).optional().describe('another group, in place of yours');

export const ownTools: readonly OwnTool[] = [
  tool({
    name: 'send_message',
    description:
      'Send the people of this group a message right away, while you keep working: for example that it takes a while, or a partial result. Your final answer reaches them by itself.',
    input: z.strictObject({ text: z.string().trim().min(1).max(100_000) }),
    forOthers: true,
    async run({ context: { store, clock }, group: own, run, tell }, { text: said, group = own }) {
      const text = await permitted(said, 'The message');
      await known(store, group);
      await allowMessage(store, group, text, clock());
      // A message to another group is not an answer: what this run was handed stays unanswered.
      const from = group === own ? { run: run.id, task: run.task } : {};
      const { id: out } = await store.messages.putOut(
        { group, kind: 'message', text, session: run.session(), ...from },
        clock(),
      );
      tell({ group, out });
      return group === own ? 'Sent.' : `Sent to the group ${group}.`;
    },
  }),
  tool({
    name: 'remember',
    description:
      'Store one statement in the memory of this group, which you read at each start: a preference, a decision, a lasting fact.',
    input: z.strictObject({ text: z.string().trim().min(1).max(2000) }),
    run: async ({ context, group }, { text }) => rememberFor(context, group, text),
  }),
  tool({
    name: 'recall',
    description:
      'Search everything said in this group, including earlier conversations. Use it when a person refers to something that you do not know.',
    input: z.strictObject({
      query: z.string().trim().min(1).max(2000).describe('words, and "phrases in quotes"'),
      limit: z.int().min(1).max(50).default(10),
    }),
    async run({ context, group, takeIn }, { query, limit }) {
      await takeIn(group);
      const { hits } = await search(context, { query, kind: 'entry', limit, filter: { group } });
      if (hits.length === 0) return 'Nothing was found.';
      const { timeZone } = context.config.settings;
      return hits
        .map(({ at, role, subagent, snippet, session }) => {
          const by = subagent === undefined ? role : `${role} of a subagent`;
          return `${localTime(at, timeZone)} ${by} (${session}): ${snippet}`;
        })
        .join('\n');
    },
  }),
  tool({
    name: 'schedule_task',
    description:
      'Schedule a prompt to yourself: by a cron expression ("0 9 * * 1-5"), at an interval ("30m", "2h", or milliseconds), or once ("2026-03-01T14:30", in local time). Context "group": the prompt joins this conversation; "isolated": a fresh one each time, so the prompt must say everything.',
    input: z.strictObject({
      prompt: z.string().trim().min(1).max(20_000),
      schedule_type: TaskKind,
      schedule_value: z.string().trim().min(1).max(200),
      context_mode: TaskContext.default('group'),
    }),
    forOthers: true,
    async run({ context: { store, clock, config }, group: own, wake }, input) {
      const { schedule_type, schedule_value, context_mode, group = own } = input;
      const prompt = await permitted(input.prompt, 'The prompt');
      const { timeZone } = config.settings;
      const schedule = parseSchedule(schedule_type, schedule_value, { now: clock(), timeZone });
      await allowTask(store, group, clock());
      const added = await store.tasks.add({ ...schedule, group, prompt, context: context_mode }, clock());
      if (added === undefined) throw noGroup(group);
      wake();
      return `Task ${added.id} is scheduled; its first run is at ${timeIn(added.nextAt, timeZone)}.`;
    },
  }),
  tool({
    name: 'list_tasks',
    description: 'List the scheduled tasks of this group, with their ids.',
    input: z.strictObject({}),
    async run({ context: { store, config }, group }) {
      const tasks = await store.tasks.list(group === mainGroup ? undefined : group);
      if (tasks.length === 0) return 'There are no tasks.';
      return tasks.map((task) => describe(task, config.settings.timeZone)).join('\n');
    },
  }),
  tool({
    name: 'pause_task',
    description: 'Pause a scheduled task until it is resumed.',
    input: z.strictObject({ id }),
    async run(caller, { id: task }) {
      await turn(caller, await ownTask(caller, task), 'paused');
      return `Task ${task} is paused.`;
    },
  }),
  tool({
    name: 'resume_task',
    description: 'Resume a paused task at its next time.',
    input: z.strictObject({ id }),
    async run(caller, { id: task }) {
      await turn(caller, await ownTask(caller, task), 'active');
      caller.wake();
      return `Task ${task} is resumed.`;
    },
  }),
  tool({
    name: 'cancel_task',
    description: 'Cancel a scheduled task permanently.',
    input: z.strictObject({ id }),
    async run(caller, { id: task }) {
      await ownTask(caller, task);
      await caller.context.store.tasks.remove(task);
      return `Task ${task} is cancelled.`;
    },
  }),
];

const inputFor = ({ input, forOthers }: OwnTool, group: string): z.ZodObject =>
  forOthers && group === mainGroup ? (input.extend({ group: otherGroup }) as z.ZodObject) : input;

/** All tools of a group's agent, bound to the group. */
export function toolsFor(deps: ToolDeps, group: string, run: ToolRun): GroupTools {
  const caller: Caller = { ...deps, group, run };
  const table = [
    ...ownTools.map((one) => ({
      ...one,
      input: inputFor(one, group),
      call: (input: Record<string, unknown>) => one.run(caller, input),
    })),
    ...groupTools.map((one) => ({
      ...one,
      call: async (input: Record<string, unknown>) =>
        JSON.stringify(await one.run(await deps.open(group), input), null, 2),
    })),
  ];
  return {
    tools: table.map(({ name, description, input }) => ({
      name,
      description,
      input: z.toJSONSchema(input, { io: 'input' }) as Record<string, unknown>,
    })),
    async call(name, given) {
      const found = table.find((one) => one.name === name);
      if (found === undefined) throw new HoldfastError('NOT_FOUND', `There is no tool ${name}`);
      const parsed = found.input.safeParse(given ?? {});
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new HoldfastError('BAD_INPUT', `${issue?.path.join('.') || name}: ${issue?.message}`);
      }
      try {
        return await found.call(parsed.data as Record<string, unknown>);
      } catch (error) {
        // The model can act on a hint, too.
        const { message, hint } = error as HoldfastError;
        throw hint === undefined ? error : new Error(`${message}. ${hint}`);
      }
    },
  };
}

/** The same error for a missing task and for another group's. Main may have all. */
async function ownTask({ context: { store }, group }: Caller, task: number): Promise<ScheduledTask> {
  const found = await store.tasks.get(task);
  if (found !== undefined && (found.group === group || group === mainGroup)) return found;
  throw new HoldfastError('NOT_FOUND', `There is no task ${task}`, { hint: 'See list_tasks.' });
}

async function turn({ context }: Caller, task: ScheduledTask, state: 'active' | 'paused'): Promise<void> {
  const next = state === 'active' ? nextAfter(task, context.clock()) : undefined;
  if (!(await context.store.tasks.setState(task.id, state, next)))
    throw new HoldfastError('CONFLICT', `Task ${task.id} is done`, { hint: 'Add it again: schedule_task' });
}

async function known(store: Context['store'], group: string): Promise<void> {
  if ((await store.groups.get(group)) === undefined) throw noGroup(group);
}

const noGroup = (group: string): HoldfastError => new HoldfastError('NOT_FOUND', `There is no group ${group}`);

const timeIn = (moment: string | undefined, timeZone: string): string =>
  moment === undefined ? 'never' : `${localTime(moment, timeZone)} (${timeZone})`;

const describe = (task: ScheduledTask, timeZone: string): string =>
  `${task.id} [${task.state}] ${task.group}, ${task.kind} ${task.when}, ${task.context}, next ${timeIn(task.nextAt, timeZone)}: ${task.prompt}`;

const heading = '## Remembered';
/** No agent reads a longer memory at its start, and the host reads it whole. */
const longestMemory = 1 << 20;

/** Appends a line to the group's memory. Its agent writes there too, and may have replaced the file with anything. */
function rememberFor({ config }: Context, group: string, text: string): string {
  const line = `- ${redact(text).replace(/\s+/g, ' ').trim()}`;
  const file = groupMemoryFile(config, group);
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let opened: number;
  try {
    // Follows no link, and does not block on a pipe.
    opened = fs.openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    throw new HoldfastError('CONFLICT', 'The memory of this group is not a file that can be written', { cause: error });
  }
  try {
    const stat = fs.fstatSync(opened);
    if (!stat.isFile()) throw new HoldfastError('CONFLICT', 'The memory of this group is not a file');
    if (stat.size > longestMemory)
      throw new HoldfastError('CONFLICT', `The memory of this group is longer than ${longestMemory >> 20} MB`, {
        hint: `Shorten ${path.basename(file)}.`,
      });
    const lines = readAtMost(opened, longestMemory).toString('utf8').split('\n');
    if (lines.includes(line)) return 'This was known already.';
    const before = lines.at(-1) === '' ? '' : '\n';
    fs.writeSync(opened, `${before}${lines.includes(heading) ? '' : `\n${heading}\n`}${line}\n`);
    fs.fsyncSync(opened);
    return 'Remembered.';
  } finally {
    fs.closeSync(opened);
  }
}
