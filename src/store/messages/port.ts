// Messages of groups, in and out. A host that is killed at any moment finds here where it was.
import type { IncomingMessage, OutgoingKind, OutgoingMessage } from '../../schema/group-message.ts';

/** Messages to and from groups. */
export interface MessagesPort {
  /** What was given up is tried once more with it. Undefined when there is no such group. */
  add(
    group: string,
    message: { readonly text: string; readonly from?: string | undefined },
    at: number,
  ): Promise<IncomingMessage | undefined>;
  /** Only if it is this group's. */
  get(group: string, id: number): Promise<IncomingMessage | undefined>;
  /** In the order in which they came. */
  waiting(group: string): Promise<readonly IncomingMessage[]>;
  /** Those that wait, that an agent has, and that were given up; in the order in which they came. */
  unanswered(group: string): Promise<readonly IncomingMessage[]>;
  /** Gives waiting messages to a run. Those that are not waiting are left out of the answer. */
  hand(run: number, ids: readonly number[]): Promise<readonly number[]>;
  /** Takes back what a run was given and has not seen. */
  release(run: number, ids: readonly number[]): Promise<void>;
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
  dropOld(before: number): Promise<number>;
}
