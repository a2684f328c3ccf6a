// One process of a group's agent, from its start to the row that ends it. Whatever it does is stored before anybody is told; what it was
// handed is answered, or waits again.

import { redact } from '../capture/redaction/redact.ts';
import { nextOf } from '../operations/groups/schedule.ts';
import type { IncomingMessage, LiveWord } from '../schema/group-message.ts';
import type { HostTool } from '../schema/host-frame.ts';
import type { ScheduledTask } from '../schema/task.ts';
import { toMoment } from '../schema/time.ts';
import type { OpenGroup } from '../sessions/groups/groups.ts';
import type { RunEnd } from '../store/host.ts';
import type { Store } from '../store/store.ts';
import { explain } from '../system/errors.ts';
import type { AgentEvents, AgentExit, AgentRun, RunningAgent } from './agent.ts';
import { allowMessage, cutAnswer } from './allowance.ts';
import { clearIfFirst, clearIn } from './clear.ts';
import type { HostClock } from './clock.ts';
import { type Limits, startLimits } from './limits.ts';

/** Seconds between tries that failed before anything was said; after the last, the group's next message tries again. */
export const backoff: readonly number[] = [5, 10, 20, 40, 80].map((seconds) => seconds * 1000);

export interface GroupTools {
  readonly tools: readonly HostTool[];
  /** Contract: acts for this run's group, whatever the input says. */
  call(tool: string, input: unknown): Promise<string>;
}

/** The run that tools are called in. */
export interface ToolRun {
  readonly id: number;
  readonly task: number | undefined;
  session(): string | undefined;
}

export interface RunDeps {
  readonly store: Store;
  readonly clock: HostClock;
  readonly log: (line: string) => void;
  /** For those who look on. */
  readonly tell: (word: LiveWord) => void;
  readonly start: (run: AgentRun) => Promise<RunningAgent>;
  readonly open: (group: string) => Promise<OpenGroup>;
  readonly toolsOf: (group: string, run: ToolRun) => GroupTools;
  /** Added to the agent's system prompt. */
  readonly appendFor: (group: string) => string;
  /** What is done before the agent forgets the beginning of a session. */
  readonly archive: (group: string, session: string) => Promise<void>;
  /** What the system says about the start of a process. */
  readonly startOf: (pid: number) => Promise<string | undefined>;
  readonly idleMs: number;
  readonly hardMs: number;
  /** Something has changed that may let others go on. */
  readonly wake: () => void;
  /** Messages were answered, and their texts are not needed any more. */
  readonly answered?: (() => void) | undefined;
  /** How often in a row the group's session was lost: no reason to try for ever. */
  readonly losses: Map<string, number>;
}

export interface LiveRun {
  readonly group: string;
  readonly task: number | undefined;
  /** It is starting, or owes an answer. */
  isBusy(): boolean;
  /** It is told to close, or is not what the group needs any more. */
  isClosing(): boolean;
  /** When it had nothing to do any more. */
  idleSince(): number;
  /** Hands it what waits for the group. */
  handWaiting(): Promise<void>;
  /** It answers what it has, then ends. */
  close(): void;
  /** Ends it now. What it has not answered waits again, at no cost. */
  kill(): void;
  /** Contract: never rejects. */
  readonly ended: Promise<void>;
}

/** Where a session stands. */
interface Place {
  readonly session?: string | undefined;
  readonly resumeAt?: string | undefined;
}

/** The store is held by another, or its disk is full. */
const isPassing = (error: unknown): boolean => ['STORE_BUSY', 'DISK_FULL'].includes(explain(error, 'the host').code);

const taskMessage = 'task';
const mostLosses = 3;

export function startRun(deps: RunDeps, group: string, task?: ScheduledTask): LiveRun {
  const { store, clock, log, tell } = deps;
  let agent: RunningAgent | undefined;
  let limits: Limits | undefined;
  let id = 0;
  let epoch = 0;
  /** What waited at its start was handed to it. */
  let ready = false;
  let closing = false;
  /** Why it was ended by us. */
  let ending: 'stop' | 'hard' | undefined;
  let turnError: string | undefined;
  let result: string | undefined;
  let idleAt = clock.now();
  let session: string | undefined;
  const unanswered = new Set<string>();
  /** An isolated task has a session of its own, and the group's stays what it is. */
  const isGroups = task?.context !== 'isolated';

  let last: Promise<void> = Promise.resolve();
  /** One after the other, in the order in which it came. */
  function todo(work: () => Promise<void>): Promise<void> {
    last = last.then(work).catch((error) => log(`${group}: ${explain(error, 'the host').message}`));
    return last;
  }

  function close(): void {
    if (closing) return;
    closing = true;
    agent?.close();
  }

  const isBusy = () => !ready || unanswered.size > 0;

  async function handWaiting(): Promise<void> {
    if (closing || agent === undefined || task !== undefined) return;
    // Cleared or resumed meanwhile: what comes now belongs to another session.
    if ((await store.pointer(group))?.epoch !== epoch) return close();
    const all = await store.waitingMessages(group);
    const cut = all.findIndex(({ text }) => clearIn(text) !== undefined);
    const waiting = cut < 0 ? all : all.slice(0, cut);
    const handed = new Set(
      await store.handMessages(
        id,
        waiting.map((message) => message.id),
      ),
    );
    const mine = waiting.filter((message) => handed.has(message.id));
    for (const [i, message] of mine.entries()) {
      unanswered.add(String(message.id));
      if (agent.send({ id: String(message.id), text: wordsOf(message) })) continue;
      // It is going, or does not keep up: the next process answers.
      close();
      const rest = mine.slice(i).map((one) => one.id);
      for (const one of rest) unanswered.delete(String(one));
      return store.releaseMessages(id, rest);
    }
    // What comes now is for another session, once this one owes nothing.
    if (cut >= 0 && unanswered.size === 0) close();
  }

  const events = (opened: OpenGroup, from: Place) => {
    let place = from;
    return {
      session(told) {
        session = told;
        if (!isGroups) return;
        void todo(async () => {
          // One that is gone on with: the place that an answer has reached stays.
          if (told !== place.session) place = { session: told };
          if (!(await surely(() => opened.set(told, { epoch, resumeAt: place.resumeAt })))) close();
        });
      },
      delta(part) {
        if (task === undefined) tell({ group, part });
      },
      result(said) {
        void todo(async () => {
          const answers = said.answers.filter((one) => unanswered.has(one));
          for (const one of answers) unanswered.delete(one);
          if (!said.ok) {
            turnError = said.text || 'the turn failed';
            return close();
          }
          deps.losses.delete(group);
          place = { session: said.session, resumeAt: said.at };
          const text = redact(cutAnswer(said.text));
          if (task !== undefined) result = text;
          const position = isGroups && said.at !== undefined ? { epoch, at: said.at } : undefined;
          const ids = answers.filter((one) => one !== taskMessage).map(Number);
          if (said.text === '' && ids.length === 0) {
            if (position !== undefined) await surely(() => opened.set(said.session, { epoch, resumeAt: said.at }));
          } else {
            // What nobody has asked for counts as a message of the agent's own.
            if (ids.length === 0 && task === undefined) await allowMessage(store, group, text, clock.now());
            const out = await surely(() =>
              store.putOut(
                {
                  ...{ group, kind: 'answer', text, answers: ids },
                  ...{ run: id, task: task?.id, session: said.session, position },
                },
                clock.now(),
              ),
            );
            tell({ group, out: out.id });
            if (ids.length > 0) deps.answered?.();
          }
          idleAt = clock.now();
          if (said.text !== '') limits?.restart();
          if (task !== undefined || (limits?.isIdleOver() && !isBusy())) close();
          deps.wake();
        });
      },
      compacting: (session) => deps.archive(group, session),
    } satisfies AgentEvents;
  };

  async function live(): Promise<void> {
    const opened = await deps.open(group);
    const pointer = await opened.pointer();
    epoch = pointer.epoch;
    id = await store.beginRun({ group, task: task?.id, epoch }, clock.now());
    const end = await work(opened, pointer);
    limits?.stop();
    const next = task === undefined ? undefined : nextOf(task, clock.now());
    // Were its end not stored, what it was handed would wait for the next host.
    const { retryAt, gaveUp, notice } = await surely(
      () => store.endRun(id, { ...end, backoff, next, result }, clock.now()),
      () => true,
    );
    deps.answered?.();
    if (notice !== undefined) tell({ group, out: notice.id });
    if (end.error === undefined) return;
    log(`${group}: ${end.error}${gaveUp ? '; given up until the next message' : ''}`);
    if (retryAt !== undefined && end.how === 'failed') tell({ group, trouble: end.error, retryAt: toMoment(retryAt) });
  }

  /** What cannot be stored now can be later: an agent's answer is not lost for that. */
  async function surely<T>(work: () => Promise<T>, passes: (error: unknown) => boolean = isPassing): Promise<T> {
    for (;;)
      try {
        return await work();
      } catch (error) {
        if (ending === 'stop' || !passes(error)) throw error;
        log(`${group}: ${explain(error, 'the host').message}`);
        await pause();
      }
  }

  const pause = () => new Promise<void>((resolve) => clock.after(backoff[0] as number, resolve));

  /** Starts the agent and waits for its end. Contract: never rejects. */
  async function work(
    opened: OpenGroup,
    pointer: Awaited<ReturnType<OpenGroup['pointer']>>,
  ): Promise<Pick<RunEnd, 'how' | 'error'>> {
    try {
      const cleared = task === undefined ? await clearIfFirst(store, opened, id, clock.now) : undefined;
      if (cleared !== undefined) {
        tell({ group, out: cleared.id });
        return { how: 'ok' };
      }
      opened.prepare();
      await opened.snapshot(await store.tasks(group));
      if (closing) return { how: 'ok' };
      const from: Place = isGroups ? pointer : {};
      const { tools, call } = deps.toolsOf(group, { id, task: task?.id, session: () => session });
      const started = await deps.start({
        group,
        session: from.session,
        resumeAt: from.resumeAt,
        append: deps.appendFor(group),
        tools,
        events: { ...events(opened, from), call },
      });
      agent = started;
      log(
        `${group}: process ${started.pid} ${from.session === undefined ? 'begins a session' : `goes on with ${from.session}`}`,
      );
      limits = startLimits(clock, deps, { idle: () => !isBusy() && close(), hard: () => end('hard') });
      await store.noteProcess(id, started.pid, await deps.startOf(started.pid));
      if (ending !== undefined) started.kill();
      else if (closing) started.close();
      else if (task === undefined) await todo(handWaiting);
      else if (started.send({ id: taskMessage, text: promptOf(task) })) unanswered.add(taskMessage);
      ready = true;
      const exit = await started.exited;
      await last;
      await store.releaseMessages(id, exit.untaken.filter((one) => one !== taskMessage).map(Number));
      return await judge(opened, from, exit);
    } catch (error) {
      agent?.kill();
      await agent?.exited;
      const { message, hint } = explain(error, `The agent of ${group}`);
      return { how: 'failed', error: hint === undefined ? message : `${message}. ${hint}` };
    }
  }

  async function judge(
    opened: OpenGroup,
    { session: resumed, resumeAt }: Place,
    { how, failure, code, signal, untaken, unanswered: owed }: AgentExit,
  ): Promise<Pick<RunEnd, 'how' | 'error'>> {
    if (ending === 'stop') return { how: 'ok' };
    if (ending === 'hard')
      return unanswered.size === 0 ? { how: 'ok' } : { how: 'failed', error: 'it took too long, and was ended' };
    if (failure !== undefined && failure.kind !== 'other' && resumed !== undefined) {
      const loss = failure.kind;
      const { next } = await opened.reportLost(resumed, loss, { epoch });
      const times = (deps.losses.get(group) ?? 0) + 1;
      deps.losses.set(group, times);
      // One that was gone before it had said anything or written anything down is not missed.
      const isMissed = resumeAt !== undefined || (await store.findSessions(resumed)).length > 0;
      if (next === 'fresh' && isMissed) {
        const text = `The earlier conversation cannot be gone on with: its file is ${loss}. A new one has begun.`;
        const out = await store.putOut({ group, kind: 'notice', text }, clock.now());
        tell({ group, out: out.id });
      }
      if (next !== 'none' && times <= mostLosses) return { how: 'again', error: `session ${resumed} is ${loss}` };
    }
    if (turnError !== undefined) return { how: 'failed', error: turnError };
    if (how === 'closed') {
      // What raced the close is the next process's. All else was its own to answer: at once, the next would only end like it.
      const isOwing = owed.length > 0 || (!closing && untaken.length > 0);
      return isOwing ? { how: 'failed', error: 'it ended without an answer' } : { how: 'ok' };
    }
    const why = failure?.message ?? `its process ended with ${signal ?? code}`;
    return { how: 'failed', error: why };
  }

  function end(why: 'stop' | 'hard'): void {
    ending ??= why;
    closing = true;
    agent?.kill();
  }

  return {
    group,
    task: task?.id,
    isBusy,
    isClosing: () => closing,
    idleSince: () => idleAt,
    handWaiting: () => todo(handWaiting),
    close,
    kill: () => end('stop'),
    ended: live().catch(async (error) => {
      log(`${group}: ${explain(error, 'the host').message}`);
      // It could not even begin: at once, it would only fail again.
      if (ending !== 'stop') await pause();
    }),
  };
}

const wordsOf = ({ text, from }: IncomingMessage): string => (from === undefined ? text : `${from}: ${text}`);

const promptOf = ({ id, prompt }: ScheduledTask): string =>
  `[Scheduled task ${id}: it is due now. Nobody has written this just now.]\n\n${prompt}`;
