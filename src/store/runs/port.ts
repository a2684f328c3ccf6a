// Runs of agent processes for groups, and when the next one is due.
import type { OutgoingMessage } from '../../schema/group-message.ts';
import type { RunId, TaskId } from '../row-ids.ts';

/** One process of a group's agent. */
export interface HostRun {
  readonly id: RunId;
  readonly group: string;
  /** The scheduled task of this run; a run without one takes messages. */
  readonly task: TaskId | undefined;
  readonly epoch: number;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** With the process's start as the system reports it, so that a recycled pid is never mistaken for it. */
  readonly pid: number | undefined;
  readonly pidStarted: string | undefined;
  /** The run has produced output for people. */
  readonly output: boolean;
  readonly error: string | undefined;
}

/**
 * The texts for a group's people when a run ends. The host writes them; the store decides from the rows which apply.
 */
export interface RunNotices {
  /** The store gave up messages without an answer. */
  readonly unanswered: string;
  /** There was output, but the end of the answer is missing. */
  readonly cutOff: string;
  /** The store gave up a scheduled task until its next time. */
  readonly taskFailed: string;
}

export interface RunEnd {
  /**
   * `ok`: ended normally. `again`: not a failure; messages are redelivered
   * at once. `failed`: wait before the next attempt.
   */
  readonly how: 'ok' | 'again' | 'failed';
  readonly error?: string | undefined;
  /** The wait after each failure in a row. After the last one, the store gives up. */
  readonly backoff: readonly number[];
  /** After this many failed attempts, the store gives up a message. */
  readonly mostAttempts: number;
  readonly notices: RunNotices;
  /** For a task: its next due time, and its result. */
  readonly next?: number | undefined;
  readonly result?: string | undefined;
}

export interface RunEnded {
  /** When to try again; undefined if nothing is left to try, or the store gave up. */
  readonly retryAt: number | undefined;
  readonly gaveUp: boolean;
  /** The notice that people received. */
  readonly notice: OutgoingMessage | undefined;
}

export interface GroupQueue {
  readonly group: string;
  readonly waiting: number;
  readonly handed: number;
  readonly givenUp: number;
  /** No attempt before this moment. */
  readonly notBefore: number | undefined;
  readonly failures: number;
}

/** Runs of agent processes. */
export interface RunsPort {
  begin(
    run: { readonly group: string; readonly task?: TaskId | undefined; readonly epoch: number },
    at: number,
  ): Promise<RunId>;
  noteProcess(run: RunId, pid: number, started: string | undefined): Promise<void>;
  /**
   * Idempotent. Messages that produced output become `answered`. The others
   * wait again, or are given up after too many attempts.
   */
  end(run: RunId, end: RunEnd, at: number): Promise<RunEnded>;
  /** Runs that have not ended. */
  open(): Promise<readonly HostRun[]>;
  /** The last run of each group that ended with an error. */
  lastErrors(): Promise<readonly { readonly group: string; readonly at: number; readonly error: string }[]>;
  /** Groups with messages that may be handed out now; the group that has waited longest comes first. */
  dueGroups(now: number): Promise<readonly string[]>;
  /** The next moment after `now` at which something is due. */
  nextDue(now: number): Promise<number | undefined>;
  /** By group; groups without messages are left out. */
  queues(): Promise<readonly GroupQueue[]>;
}
