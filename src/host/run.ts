// One process of a group's agent, from its start to the stored end of the run. run-state.ts decides; this file performs the effects. It
// stores what the agent says before it tells people. Each message sent to the agent is answered or waits again.

import { redact } from '../capture/redaction/redact.ts';
import { nextOf } from '../operations/groups/schedule.ts';
import type { LiveWord } from '../schema/group-message.ts';
import type { HostTool } from '../schema/host-frame.ts';
import type { ScheduledTask } from '../schema/task.ts';
import { toMoment } from '../schema/time.ts';
import { backoff, mostAttempts } from '../sessions/groups/delivery.ts';
import type { GroupSessions } from '../sessions/groups/groups.ts';
import type { RunEnd } from '../store/runs/port.ts';
import type { Store } from '../store/store.ts';
import { explain, inShort } from '../system/errors.ts';
import type { AgentRun, RunningAgent } from './agent.ts';
import { cutAnswer } from './allowance.ts';
import { clearIfFirst } from './clear.ts';
import type { HostClock } from './clock.ts';
import { noticesOf } from './delivery.ts';
import { type Limits, startLimits } from './limits.ts';
import { lostSession } from './lost-session.ts';
import { pause, persist } from './persist.ts';
import { openRecord, type ResumePoint, type RunRecord } from './run-record.ts';
import {
  begin,
  isBusy,
  isClosing,
  killedBy,
  type RunEffect,
  type RunEvent,
  type RunState,
  step,
  taskMessage,
  verdictOf,
} from './run-state.ts';
import { sendWaiting } from './send-waiting.ts';

export interface GroupTools {
  readonly tools: readonly HostTool[];
  /** Contract: acts for this run's group only, whatever the input says. */
  call(tool: string, input: unknown): Promise<string>;
}

/** The run that tools are called in. */
export interface ToolRun {
  readonly id: number;
  readonly task: number | undefined;
  session(): string | undefined;
}

export interface RunDeps {
  readonly store: Pick<Store, 'groups' | 'messages' | 'runs' | 'sessions' | 'tasks'>;
  readonly clock: HostClock;
  readonly log: (line: string) => void;
  /** Tells everyone who is watching the group. */
  readonly tell: (word: LiveWord) => void;
  readonly start: (run: AgentRun) => Promise<RunningAgent>;
  readonly open: (group: string) => Promise<GroupSessions>;
  readonly toolsOf: (group: string, run: ToolRun) => GroupTools;
  /** Added to the agent's system prompt. */
  readonly appendFor: (group: string) => string;
  /** Archives a session before its agent compacts it. */
  readonly archive: (group: string, session: string) => Promise<void>;
  /** When the operating system started a process. Tells a reused pid from the original. */
  readonly startOf: (pid: number) => Promise<string | undefined>;
  readonly idleMs: number;
  readonly hardMs: number;
  /** Something has changed that other runs may be waiting for. */
  readonly wake: () => void;
  /** Messages were answered, so their texts are no longer needed. */
  readonly answered?: (() => void) | undefined;
  /** How often in a row a group lost its session. Limits the retries. */
  readonly losses: Map<string, number>;
}

export interface LiveRun {
  readonly group: string;
  readonly task: number | undefined;
  /** The process is starting, or owes an answer. */
  isBusy(): boolean;
  /** The process takes no more messages. */
  isClosing(): boolean;
  /** When the process last finished its work. */
  idleSince(): number;
  /** Sends the process the group's waiting messages. */
  handWaiting(): Promise<void>;
  /** Lets the process answer the messages it has, then end. */
  close(): void;
  /** Ends the process now. Unanswered messages wait again; this does not count as a failed attempt. */
  kill(): void;
  /** Contract: never rejects. */
  readonly ended: Promise<void>;
}

/** Shared by the parts of one run. `on` changes the state, and resolves once the effects are done. */
export interface Run {
  readonly deps: RunDeps;
  readonly group: string;
  readonly task: ScheduledTask | undefined;
  /** Set once the run has its row. */
  id: number;
  /** The epoch of the group's pointer when the run began. */
  epoch: number;
  state: RunState;
  agent?: RunningAgent;
  limits?: Limits;
  record?: RunRecord;
  on(event: RunEvent): Promise<void>;
  /** Runs pieces of work one after the other, in the order of the calls. Contract: never rejects. */
  inTurn(work: () => Promise<void>): Promise<void>;
}

export function startRun(deps: RunDeps, group: string, task?: ScheduledTask): LiveRun {
  const { clock } = deps;
  const log = (error: unknown) => deps.log(`${group}: ${explain(error, 'the host').message}`);
  let last: Promise<void> = Promise.resolve();
  const run: Run = {
    ...{ deps, group, task, id: 0, epoch: 0 },
    state: begin(task !== undefined, clock.now()),
    async on(event) {
      const [state, effects] = step(run.state, event);
      run.state = state;
      for (const effect of effects) {
        const done = perform(run, effect);
        // Do not await without a promise: the next effect must follow in the same tick.
        if (done !== undefined) await done;
      }
    },
    inTurn(work) {
      last = last.then(work).catch(log);
      return last;
    },
  };
  return {
    group,
    task: task?.id,
    isBusy: () => isBusy(run.state),
    isClosing: () => isClosing(run.state),
    idleSince: () => run.state.idleSince,
    handWaiting: () => run.inTurn(() => sendWaiting(run)),
    close: () => void run.on({ kind: 'close' }),
    kill: () => void run.on({ kind: 'kill', by: 'stop' }),
    ended: live(run).catch(async (error) => {
      log(error);
      // The run could not begin. An immediate retry would fail too, so the group waits a little.
      if (killedBy(run.state) !== 'stop') await pause(run);
    }),
  };
}

function perform(run: Run, effect: RunEffect): Promise<void> | undefined {
  switch (effect.kind) {
    case 'close-agent':
      run.agent?.close();
      return undefined;
    case 'kill-agent':
      run.agent?.kill();
      return undefined;
    case 'send-task':
      return sendTask(run);
    case 'send-waiting':
      return run.inTurn(() => sendWaiting(run));
    case 'restart-limits':
      run.limits?.restart();
      return undefined;
    case 'wake':
      run.deps.wake();
      return undefined;
    case 'release':
      return run.deps.store.messages.release(run.id, effect.ids.map(Number));
    case 'store':
      return store(run, effect);
  }
}

async function sendTask(run: Run): Promise<void> {
  if (run.task === undefined || run.agent?.send({ id: taskMessage, text: promptOf(run.task) }) !== true) return;
  await run.on({ kind: 'sent', ids: [taskMessage] });
}

async function store(run: Run, { said, text, answers }: Extract<RunEffect, { kind: 'store' }>): Promise<void> {
  run.deps.losses.delete(run.group);
  await run.record?.answer(said, text, answers.filter((id) => id !== taskMessage).map(Number));
  await run.on({ kind: 'stored', isReal: said.text !== '', now: run.deps.clock.now() });
}

async function live(run: Run): Promise<void> {
  const { deps, group, task } = run;
  const { clock, tell } = deps;
  const opened = await deps.open(group);
  const pointer = await opened.pointer();
  run.epoch = pointer.epoch;
  run.id = await deps.store.runs.begin({ group, task: task?.id, epoch: run.epoch }, clock.now());
  const end = inFewWords(await work(run, opened, pointer));
  await run.on({ kind: 'ended' });
  run.limits?.stop();
  const next = task === undefined ? undefined : nextOf(task, clock.now());
  const { result } = run.state;
  // Without a stored end, the messages of this run would wait for the next host.
  const { retryAt, gaveUp, notice } = await persist(
    run,
    () =>
      deps.store.runs.end(
        run.id,
        { ...end, notices: noticesOf(end.error, task?.id), backoff, mostAttempts, next, result },
        clock.now(),
      ),
    () => true,
  );
  deps.answered?.();
  if (notice !== undefined) tell({ group, out: notice.id });
  if (end.error === undefined) return;
  deps.log(`${group}: ${end.error}${gaveUp ? '; given up until the next message' : ''}`);
  if (retryAt !== undefined && end.how === 'failed') tell({ group, trouble: end.error, retryAt: toMoment(retryAt) });
}

/** The reason may be the agent's own text, of any length. People read it, and the log and the store hold it. */
const inFewWords = ({ how, error }: Pick<RunEnd, 'how' | 'error'>): Pick<RunEnd, 'how' | 'error'> =>
  error === undefined ? { how } : { how, error: inShort(redact(error.slice(0, mostRedacted))) };

/** Longer than what is told, so that no secret is cut in two before it is found. */
const mostRedacted = 10_000;

/** Starts the agent and waits for its end. Contract: never rejects. */
async function work(run: Run, opened: GroupSessions, pointer: ResumePoint): Promise<Pick<RunEnd, 'how' | 'error'>> {
  const { deps, group, task } = run;
  try {
    const cleared = task === undefined ? await clearIfFirst(deps.store, opened, run.id, deps.clock.now) : undefined;
    if (cleared !== undefined) {
      deps.tell({ group, out: cleared.id });
      return { how: 'ok' };
    }
    opened.prepare();
    await opened.snapshot(await deps.store.tasks.list(group));
    if (isClosing(run.state)) return { how: 'ok' };
    const from: ResumePoint = isGroups(task) ? pointer : {};
    const agent = await startIn(run, opened, from);
    await deps.store.runs.noteProcess(run.id, agent.pid, await deps.startOf(agent.pid));
    await run.on({ kind: 'started' });
    await run.on({ kind: 'ready' });
    const exit = await agent.exited;
    // What the agent said last may still be on its way to the store.
    await run.inTurn(async () => {});
    await deps.store.messages.release(run.id, exit.untaken.filter((id) => id !== taskMessage).map(Number));
    return (await lostSession(run, opened, from, exit)) ?? verdictOf(run.state, exit);
  } catch (error) {
    run.agent?.kill();
    await run.agent?.exited;
    const { message, hint } = explain(error, `The agent of ${group}`);
    return { how: 'failed', error: hint === undefined ? message : `${message}. ${hint}` };
  }
}

async function startIn(run: Run, opened: GroupSessions, from: ResumePoint): Promise<RunningAgent> {
  const { deps, group, task } = run;
  const { tools, call } = deps.toolsOf(group, { id: run.id, task: task?.id, session: () => run.state.session });
  const record = openRecord(run, opened, from, isGroups(task));
  run.record = record;
  const agent = await deps.start({
    group,
    session: from.session,
    resumeAt: from.resumeAt,
    append: deps.appendFor(group),
    tools,
    events: {
      session(told) {
        void run.on({ kind: 'session', session: told });
        void run.inTurn(async () => {
          if (!(await record.session(told))) await run.on({ kind: 'close' });
        });
      },
      delta(part) {
        if (task === undefined) deps.tell({ group, part });
      },
      result(said) {
        void run.inTurn(() =>
          run.on({ kind: 'result', said, text: said.ok ? redact(cutAnswer(said.text)) : said.text }),
        );
      },
      compacting: (session) => deps.archive(group, session),
      call,
    },
  });
  run.agent = agent;
  deps.log(
    `${group}: process ${agent.pid} ${from.session === undefined ? 'begins a session' : `goes on with ${from.session}`}`,
  );
  run.limits = startLimits(deps.clock, deps, {
    idle: () => void run.on({ kind: 'idle' }),
    hard: () => void run.on({ kind: 'kill', by: 'hard' }),
  });
  return agent;
}

/** An isolated task has a session of its own; the group's session stays as it is. */
const isGroups = (task: ScheduledTask | undefined): boolean => task?.context !== 'isolated';

const promptOf = ({ id, prompt }: ScheduledTask): string =>
  `[Scheduled task ${id}: it is due now. No person has just written this.]\n\n${prompt}`;
