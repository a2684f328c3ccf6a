// Incoming and outgoing messages of groups. A host that is killed at any moment can continue from here.
import type { IncomingMessage, OutgoingKind, OutgoingMessage } from '../../schema/group-message.ts';
import type { MessageId, RunId, TaskId } from '../row-ids.ts';

/** Messages to and from groups. */
export interface MessagesPort {
  /** Also lets messages wait again that were given up after fewer than `mostAttempts`, if that is given. Undefined if there is no such group. */
  add(
    group: string,
    message: { readonly text: string; readonly from?: string | undefined; readonly mostAttempts?: number },
    at: number,
  ): Promise<IncomingMessage | undefined>;
  /** Undefined if the message belongs to another group. */
  get(group: string, id: MessageId): Promise<IncomingMessage | undefined>;
  /** In order of arrival. */
  waiting(group: string): Promise<readonly IncomingMessage[]>;
  /** Messages that wait, are with an agent, or were given up, in order of arrival. */
  unanswered(group: string): Promise<readonly IncomingMessage[]>;
  /** Hands waiting messages to a run. Returns the ids that were waiting. */
  hand(run: RunId, ids: readonly MessageId[]): Promise<readonly MessageId[]>;
  /** Takes back messages that a run was handed but has not seen. */
  release(run: RunId, ids: readonly MessageId[]): Promise<void>;
  /**
   * Tells a group's people something. With a run, this is the run's output: `answers` become
   * answered, and the run's other messages will not be redelivered. After an answer they can be,
   * because it ends the turn. With a position, the group's session resumes from there, if it is still
   * the active session of that epoch. A kill leaves all of this or none.
   */
  putOut(
    out: {
      readonly group: string;
      readonly kind: OutgoingKind;
      readonly text: string;
      readonly answers?: readonly MessageId[];
      readonly run?: RunId | undefined;
      readonly task?: TaskId | undefined;
      readonly session?: string | undefined;
      readonly position?: { readonly epoch: number; readonly at: string } | undefined;
    },
    at: number,
  ): Promise<OutgoingMessage>;
  /** The outgoing messages of a group since a moment. */
  outgoingSince(group: string, since: number): Promise<{ count: number; characters: number }>;
  outgoing(group: string, after: MessageId, limit: number): Promise<readonly OutgoingMessage[]>;
  /** The id of the last outgoing message of all groups; 0 if there has been none. */
  lastOutgoing(): Promise<MessageId>;
  /** The last message that the person saw in a chat with the group; undefined before the first chat. */
  seenInChat(group: string): Promise<MessageId | undefined>;
  /** The position never moves back. */
  noteSeen(group: string, id: MessageId): Promise<void>;
  /**
   * Removes outgoing messages and ended runs from before a moment, and answered messages that arrived before it.
   * Returns the number of rows.
   */
  dropOld(before: number): Promise<number>;
}
