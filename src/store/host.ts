// What the store keeps for the host of agents: messages in and out, runs of agent processes, scheduled tasks. A host that is killed
// at any moment finds here where it was.
import type { IncomingMessage, OutgoingKind, OutgoingMessage } from '../schema/group-message.ts';
import type { ScheduledTask, TaskContext, TaskKind, TaskRun } from '../schema/task.ts';

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

export interface RunEnd {
  /**
   * `ok`: in order. `again`: nobody is to blame, and it is tried again at once. `failed`: what had no output yet is tried again
   * after a while.
   */
  readonly how: 'ok' | 'again' | 'failed';
  readonly error?: string | undefined;
  /** How long to wait after the first failure in a row, the second, …; after the last it is given up. */
  readonly backoff: readonly number[];
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

export interface NewTask {
  readonly group: string;
  readonly prompt: string;
  readonly kind: TaskKind;
  readonly when: string;
  readonly timeZone: string;
  readonly context: TaskContext;
  readonly next: number;
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

export interface HostStore {
  /** What was given up is tried once more with it. Undefined when there is no such group. */
  addMessage(
    group: string,
    message: { readonly text: string; readonly from?: string | undefined },
    at: number,
  ): Promise<IncomingMessage | undefined>;
  /** Only if it is this group's. */
  message(group: string, id: number): Promise<IncomingMessage | undefined>;
  /** In the order in which they came. */
  waitingMessages(group: string): Promise<readonly IncomingMessage[]>;
  /** Those that wait, that an agent has, and that were given up; in the order in which they came. */
  unansweredMessages(group: string): Promise<readonly IncomingMessage[]>;
  /** Gives waiting messages to a run. Those that are not waiting are left out of the answer. */
  handMessages(run: number, ids: readonly number[]): Promise<readonly number[]>;
  /** Takes back what a run was given and has not seen. */
  releaseMessages(run: number, ids: readonly number[]): Promise<void>;
  /**
   * Tells a group's people something. With a run, it is that run's output: what it was handed will not be handed again, but for what it
   * still has after an answer. What is answered belongs to that run. With a position, the group's session goes on from there, if it is still the active one of that
   * epoch: a kill leaves both or neither.
   */
  putOut(
    out: {
      readonly group: string;
      readonly kind: OutgoingKind;
      readonly text: string;
      readonly answers?: readonly number[];
      readonly run?: number | undefined;
      readonly task?: number | undefined;
      readonly session?: string | undefined;
      readonly position?: { readonly epoch: number; readonly at: string } | undefined;
    },
    at: number,
  ): Promise<OutgoingMessage>;
  /** In order, after an id. */
  /** Lets what was answered go from the log beside the database, too. False: a reader keeps it for now. */
  emptyLog(): Promise<boolean>;
  /** What a group was told from a moment on. */
  outgoingSince(group: string, since: number): Promise<{ count: number; characters: number }>;
  outgoing(group: string, after: number, limit: number): Promise<readonly OutgoingMessage[]>;
  /** The id of the last one of all; 0 where there is none. */
  lastOutgoing(): Promise<number>;
  /** The last one that the person has seen in a chat with the group; undefined before the first chat. */
  seenInChat(group: string): Promise<number | undefined>;
  /** It never goes back. */
  noteSeen(group: string, id: number): Promise<void>;
  /** Removes what was told before a moment, and messages that were answered before it. Gives how many rows that were. */
  dropOldMessages(before: number): Promise<number>;

  beginRun(
    run: { readonly group: string; readonly task?: number | undefined; readonly epoch: number },
    at: number,
  ): Promise<number>;
  noteProcess(run: number, pid: number, started: string | undefined): Promise<void>;
  /** Ends a run once; ended again, nothing is changed. What it was handed is answered, if there was output since that was no answer to another, or waits again. */
  endRun(run: number, end: RunEnd, at: number): Promise<RunEnded>;
  /** Those without an end. */
  openRuns(): Promise<readonly HostRun[]>;
  /** The last one that ended with an error, by group. */
  lastErrors(): Promise<readonly { readonly group: string; readonly at: number; readonly error: string }[]>;

  /** Groups with messages that may be handed now, the one that waits longest first. */
  dueGroups(now: number): Promise<readonly string[]>;
  /** Active tasks whose time has come, and that no run is at, in the order of their time. */
  dueTasks(now: number): Promise<readonly ScheduledTask[]>;
  /** When the next thing becomes due, after now. */
  nextDue(now: number): Promise<number | undefined>;
  /** By group; those with nothing in them are left out. */
  queues(): Promise<readonly GroupQueue[]>;

  /** Undefined when there is no such group. */
  addTask(task: NewTask, at: number): Promise<ScheduledTask | undefined>;
  /** By id; of one group, or all. */
  tasks(group?: string): Promise<readonly ScheduledTask[]>;
  task(id: number): Promise<ScheduledTask | undefined>;
  /** `next` is when it is due after it was resumed. False when there is no such task, or it is done. */
  setTaskState(id: number, state: 'active' | 'paused', next: number | undefined): Promise<boolean>;
  /** With its log. False when there is none. */
  removeTask(id: number): Promise<boolean>;
  /** Newest first. */
  taskRuns(id: number, limit: number): Promise<readonly TaskRun[]>;
}
