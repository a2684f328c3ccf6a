// Decides which groups run: a limited number of processes, one per group; due tasks before messages, and messages by waiting time.
// Everything that it decides by is in the store. Memory holds only the processes themselves.

import { nextOf } from '../operations/groups/schedule.ts';
import { sameProcess } from '../processes/claim.ts';
import type { ScheduledTask } from '../schema/task.ts';
import { backoff, mostAttempts } from '../sessions/groups/delivery.ts';
import { explain } from '../system/errors.ts';
import { signalGroup } from './confine.ts';
import { noticesOf } from './delivery.ts';
import { type LiveRun, type RunDeps, startRun } from './run.ts';

export interface HostDeps extends Omit<RunDeps, 'wake' | 'losses'> {
  readonly maxProcesses: number;
  /** Which groups it serves. Without it, all. */
  readonly serves?: ((group: string) => boolean) | undefined;
  /** Whether scheduled tasks run. */
  readonly tasks?: boolean | undefined;
}

export interface Host {
  /** Something may be due. Cheap, and safe to repeat. */
  wake(): void;
  /** Ends the group's process, because the group has another session now. */
  close(group: string): void;
  processes(): readonly Pick<LiveRun, 'group' | 'task' | 'isBusy' | 'isClosing'>[];
  /** Starts no more processes. Running ones may answer what they have for this long, then they are ended. */
  stop(patienceMs: number): Promise<void>;
}

/** How often to poll for messages whose sender could not ring the bell. */
const slowLookMs = 5000;

/** Ends what a killed host has left: its processes and its runs. Messages without output are delivered again. */
export async function recover({ store, clock, log }: Pick<HostDeps, 'store' | 'clock' | 'log'>): Promise<void> {
  for (const { id, group, pid, pidStarted, task } of await store.runs.open()) {
    if (pid !== undefined && pidStarted !== undefined && (await sameProcess({ pid, started: pidStarted, since: '' })))
      signalGroup(pid);
    const due = task === undefined ? undefined : await store.tasks.get(task);
    const next = due && nextOf(due, clock.now());
    const error = 'the host was ended in the middle of it';
    const { notice } = await store.runs.end(
      id,
      { how: 'again', error, notices: noticesOf(error, task), backoff, mostAttempts, next },
      clock.now(),
    );
    log(`${group}: ${error}${notice === undefined ? '' : '; what was said before stays said'}`);
  }
}

export function openHost(deps: HostDeps): Host {
  const { store, clock, log, maxProcesses } = deps;
  const running = new Map<string, LiveRun>();
  const losses = new Map<string, number>();
  const serves = (group: string) => deps.serves?.(group) ?? true;
  let stopped = false;
  let cancelTimer = () => {};
  let looking: Promise<void> | undefined;
  let again = false;

  function wake(): void {
    if (stopped) return;
    again = true;
    looking ??= (async () => {
      // Handle everything that is reported in one go together.
      await Promise.resolve();
      while (again && !stopped) {
        again = false;
        await look().catch((error) => log(explain(error, 'the host').message));
      }
      looking = undefined;
    })();
  }

  async function look(): Promise<void> {
    cancelTimer();
    const now = clock.now();
    const tasks = deps.tasks === false ? [] : (await store.tasks.due(now)).filter(({ group }) => serves(group));
    const groups = (await store.runs.dueGroups(now)).filter(serves);
    const taskOf = new Map<string, ScheduledTask>();
    for (const task of tasks) if (!taskOf.has(task.group)) taskOf.set(task.group, task);

    for (const run of running.values()) {
      // A task goes first: messages that arrive now are for the process after it.
      if (taskOf.has(run.group) && run.task === undefined) run.close();
      else if (groups.includes(run.group)) await run.handWaiting();
    }
    const wanted = [...new Set([...taskOf.keys(), ...groups])].filter((group) => !running.has(group));
    const free = Math.max(0, maxProcesses - running.size);
    for (const group of stopped ? [] : wanted.slice(0, free)) begin(group, taskOf.get(group));
    makeRoom(wanted.length - free);

    const next = await store.runs.nextDue(now);
    cancelTimer();
    if (!stopped) cancelTimer = clock.after(Math.min(slowLookMs, next === undefined ? slowLookMs : next - now), wake);
  }

  /** A group waits: close the processes that have been idle longest. */
  function makeRoom(wanted: number): void {
    const going = [...running.values()].filter((run) => run.isClosing()).length;
    const idle = [...running.values()]
      .filter((run) => !run.isBusy() && !run.isClosing())
      .sort((a, b) => a.idleSince() - b.idleSince());
    for (const run of idle.slice(0, Math.max(0, wanted - going))) run.close();
  }

  function begin(group: string, task: ScheduledTask | undefined): void {
    const run = startRun({ ...deps, wake, losses }, group, task);
    running.set(group, run);
    void run.ended.then(() => {
      running.delete(group);
      wake();
    });
  }

  return {
    wake,
    close: (group) => running.get(group)?.close(),
    processes: () => [...running.values()],
    async stop(patienceMs) {
      stopped = true;
      cancelTimer();
      // The wait counts from now: a poll may be blocked by a store that accepts nothing.
      const cancel = clock.after(patienceMs, () => {
        for (const run of running.values()) run.kill();
      });
      await looking;
      for (const run of running.values()) run.close();
      await Promise.all([...running.values()].map((run) => run.ended));
      cancel();
      cancelTimer();
    },
  };
}
