// The agent host as a process, and its status. Its code is loaded only when one of these operations runs.
import { z } from 'zod';
import { IncomingMessage, OutgoingMessage } from '../../schema/group-message.ts';
import { Moment, toMoment } from '../../schema/time.ts';
import { ring } from '../../sessions/groups/bell.ts';
import { mostAttempts } from '../../sessions/groups/delivery.ts';
import { HoldfastError } from '../../system/errors.ts';
import { installed, serviceInstall, serviceUninstall, uninstalled } from '../machine/service.ts';
import { type Context, operation } from '../operation.ts';
import type { GroupPorts } from '../ports.ts';
import { programsOf } from '../programs.ts';
import { groupField, openNamed } from './groups.ts';
import { permitted } from './permitted.ts';

export const hostRun = operation({
  name: 'host run',
  ending: 'guarded',
  summary: 'Run the agents of groups in the foreground, until Ctrl+C; a second Ctrl+C ends them at once',
  input: z.object({}),
  output: z.object({ stopped: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast host run'],
  async run(context: Context) {
    await programsOf(context).host(context);
    return { stopped: true };
  },
});

const Process = z.object({
  group: z.string(),
  pid: z.int().optional(),
  since: Moment,
  task: z.int().optional().describe('the scheduled task that it runs'),
});

export const hostStatus = operation({
  name: 'host status',
  summary: 'Show what the host is doing: groups, processes, waiting messages, and the last error',
  input: z.object({}),
  output: z.object({
    running: z.boolean(),
    pid: z.int().optional(),
    since: z.string().optional(),
    processes: z.array(Process),
    groups: z.array(
      z.object({
        group: z.string(),
        session: z.string().optional(),
        waiting: z.int(),
        handed: z.int().describe('messages that an agent has received and not answered'),
        givenUp: z.int().describe('messages that are retried with the next message'),
        retryAt: Moment.optional(),
        tasks: z.int().describe('active scheduled tasks'),
        nextTaskAt: Moment.optional(),
        error: z.object({ at: Moment, text: z.string() }).optional().describe('the last error'),
      }),
    ),
  }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast host status', 'holdfast host status --json'],
  async run({ config, store, clock }: Context<'groups' | 'runs' | 'tasks'>) {
    const { hostOf } = await import('../../processes/host-holder.ts');
    const holder = await hostOf(config);
    const [queues, errors, tasks] = [
      await store.runs.queues(),
      await store.runs.lastErrors(),
      await store.tasks.list(),
    ];
    const runs = holder === undefined ? [] : await store.runs.open();
    return {
      running: holder !== undefined,
      ...(holder === undefined ? {} : { pid: holder.pid, since: holder.since }),
      processes: runs.map(({ group, pid, startedAt, task }) => ({
        group,
        since: toMoment(startedAt),
        ...(pid === undefined ? {} : { pid }),
        ...(task === undefined ? {} : { task }),
      })),
      groups: (await store.groups.list()).map(({ name, pointer }) => {
        const queue = queues.find(({ group }) => group === name);
        const error = errors.find(({ group }) => group === name);
        const active = tasks.filter(({ group, state }) => group === name && state === 'active');
        const [nextTaskAt] = active.flatMap(({ nextAt = [] }) => nextAt).sort();
        return {
          group: name,
          ...(pointer.session === undefined ? {} : { session: pointer.session }),
          ...{ waiting: queue?.waiting ?? 0, handed: queue?.handed ?? 0, givenUp: queue?.givenUp ?? 0 },
          ...((queue?.notBefore ?? 0) > clock() ? { retryAt: toMoment(queue?.notBefore ?? 0) } : {}),
          tasks: active.length,
          ...(nextTaskAt === undefined ? {} : { nextTaskAt }),
          ...(error === undefined ? {} : { error: { at: toMoment(error.at), text: error.error } }),
        };
      }),
    };
  },
});

export const hostInstall = operation({
  name: 'host install',
  summary: "Let your system's service manager run the host: systemd, or launchd",
  ...serviceInstall,
  examples: ['holdfast host install', 'holdfast host install --dry-run'],
  run: async (context: Context<never>, input) =>
    installed(context, (await import('../../processes/host-service.ts')).hostService, input),
});

export const hostUninstall = operation({
  name: 'host uninstall',
  summary: 'Remove the host from the service manager completely',
  ...serviceUninstall,
  examples: ['holdfast host uninstall', 'holdfast host uninstall --dry-run'],
  run: async (context: Context<never>, input) =>
    uninstalled(context, (await import('../../processes/host-service.ts')).hostService, input),
});

export const groupsSend = operation({
  name: 'groups send',
  summary: 'Send a message to the agent of a group, without waiting for the answer',
  input: z.object({
    group: groupField,
    text: z.string().trim().min(1).max(200_000).meta({ description: 'the message', rest: true }),
    from: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[^\p{Cc}]*$/u, 'must be one line')
      .optional()
      .describe('the sender, if several people share the group'),
  }),
  output: z.object({
    message: IncomingMessage,
    hostRuns: z.boolean().describe('false: the message waits until a host runs'),
    note: z.string().optional(),
  }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST', path: '/api/groups/{group}/messages', status: 202, ofGroup: true },
  positional: ['group', 'text'],
  examples: ['holdfast groups send dev-team "Summarise what was decided today"'],
  async run(context: Context<GroupPorts | 'messages'>, { group, text, from }) {
    const { name } = await openNamed(context, group);
    const message = await context.store.messages.add(
      name,
      { text: await permitted(text, 'The message'), from, mostAttempts },
      context.clock(),
    );
    if (message === undefined) throw new HoldfastError('NOT_FOUND', `There is no group ${name} any more`);
    const { hostOf } = await import('../../processes/host-holder.ts');
    const hostRuns = (await ring(context.config)) || (await hostOf(context.config)) !== undefined;
    return { message, hostRuns, ...(hostRuns ? {} : { note: noHost }) };
  },
});

const noHost = 'No host is running: the message waits. Start one with: holdfast host run';

export const chatWith = operation({
  name: 'chat',
  ending: 'orderly',
  summary: 'Chat with the agent of a group; through a pipe, one message in and the answer out',
  input: z.object({
    group: groupField,
    message: z
      .string()
      .trim()
      .min(1)
      .max(200_000)
      .optional()
      .meta({ description: 'say this, and wait for the answer', rest: true }),
  }),
  output: z.object({
    group: z.string(),
    said: z.array(OutgoingMessage),
    unanswered: z.array(z.int()).describe('messages that have no answer yet'),
  }),
  surfaces: ['cli'],
  positional: ['group', 'message'],
  examples: [
    'holdfast chat dev-team',
    'git log -5 | holdfast chat dev-team',
    'holdfast chat dev-team "What is left to do?"',
  ],
  succeeded: ({ said, unanswered }) => unanswered.length === 0 && said.at(-1)?.kind !== 'notice',
  async run(context: Context, { group, message }) {
    const { name } = await openNamed(context, group);
    const leaving = new AbortController();
    const terminal = context.person?.converse?.(() => leaving.abort());
    if (terminal === undefined) throw new HoldfastError('INTERNAL', 'A chat needs a terminal or a pipe');
    const signal = AbortSignal.any([leaving.signal, ...(context.signal ? [context.signal] : [])]);
    const { said, open } = await programsOf(context).chat(context, terminal, { group: name, message, signal });
    return { group: name, said: [...said], unanswered: [...open] };
  },
});
