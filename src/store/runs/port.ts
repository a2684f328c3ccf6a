// Runs of agent processes for groups, and what is due next.
import type { OutgoingMessage } from '../../schema/group-message.ts';

/** One process of a group's agent. */
export interface HostRun {
  readonly id: number;
  readonly group: string;
  /** The scheduled task that it is for; without one it takes messages. */
  readonly task: number | undefined;
  readonly epoch: number;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** With what the system says about its start, so that a recycled pid is never mistaken for it. */
  readonly pid: number | undefined;
  readonly pidStarted: string | undefined;
  /** It has said something that people were told. */
  readonly output: boolean;
  readonly error: string | undefined;
}

/** What a group's people are told when a run ends. The host finds the words; the store decides which of them apply, with the rows. */
export interface RunNotices {
  /** Messages are given up without an answer. */
  readonly unanswered: string;
  /** Something was said, and the end of the answer is missing. */
  readonly cutOff: string;
  /** A scheduled task is given up until its next time. */
  readonly taskFailed: string;
}

export interface RunEnd {
  /** `ok`: in order. `again`: no failure, and the store delivers the messages again at once. `failed`: it waits before the next try. */
  readonly how: 'ok' | 'again' | 'failed';
  readonly error?: string | undefined;
  /** How long to wait after the first failure in a row, the second, …; after the last it is given up. */
  readonly backoff: readonly number[];
  readonly notices: RunNotices;
  /** For a task: when it is due next, and what came of it. */
  readonly next?: number | undefined;
  readonly result?: string | undefined;
}

export interface RunEnded {
  /** When it is tried again; undefined where nothing is left to try, or it was given up. */
  readonly retryAt: number | undefined;
  readonly gaveUp: boolean;
  /** What people were told of it. */
  readonly notice: OutgoingMessage | undefined;
}

export interface GroupQueue {
  readonly group: string;
  readonly waiting: number;
  readonly handed: number;
  readonly givenUp: number;
  /** Nothing is tried before this moment. */
  readonly notBefore: number | undefined;
  readonly failures: number;
}

/** Runs of agent processes. */
export interface RunsPort {
  begin(
    run: { readonly group: string; readonly task?: number | undefined; readonly epoch: number },
    at: number,
  ): Promise<number>;
  noteProcess(run: number, pid: number, started: string | undefined): Promise<void>;
  /** Ends a run once; ended again, nothing is changed. What it was handed is answered, if there was output since that was no answer to another, or waits again. */
  end(run: number, end: RunEnd, at: number): Promise<RunEnded>;
  /** Those without an end. */
  open(): Promise<readonly HostRun[]>;
  /** The last one that ended with an error, by group. */
  lastErrors(): Promise<readonly { readonly group: string; readonly at: number; readonly error: string }[]>;
  /** Groups with messages that may be handed now, the one that waits longest first. */
  dueGroups(now: number): Promise<readonly string[]>;
  /** When the next thing becomes due, after now. */
  nextDue(now: number): Promise<number | undefined>;
  /** By group; those with nothing in them are left out. */
  queues(): Promise<readonly GroupQueue[]>;
}
