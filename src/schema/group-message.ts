import { z } from 'zod';
import { Moment } from './time.ts';

/**
 * `handed`: a process of the agent has it. `given-up`: it failed too often; the group's next message tries it once
 * more.
 */
export const MessageState = z.enum(['waiting', 'handed', 'answered', 'given-up']);
export type MessageState = z.infer<typeof MessageState>;

/** A message to a group's agent. */
export const IncomingMessage = z.object({
  id: z.int(),
  group: z.string(),
  text: z.string().describe('empty once it was answered: the session has it'),
  from: z.string().optional().describe('the sender, if several people share a group'),
  arrivedAt: Moment,
  state: MessageState,
  attempts: z.int().describe('how often an agent failed before it produced any output'),
});
export type IncomingMessage = z.infer<typeof IncomingMessage>;

/** `answer`: the end of a turn. `message`: sent during a turn, or by another group's task. `notice`: from the host. */
export const OutgoingKind = z.enum(['answer', 'message', 'notice']);
export type OutgoingKind = z.infer<typeof OutgoingKind>;

/** A message to the people of a group. The ids grow over all groups. */
export const OutgoingMessage = z.object({
  id: z.int(),
  group: z.string(),
  kind: OutgoingKind,
  text: z.string(),
  answers: z.array(z.int()).describe('the messages that this answers'),
  task: z.int().optional().describe('the scheduled task it comes from'),
  at: Moment,
});
export type OutgoingMessage = z.infer<typeof OutgoingMessage>;

/**
 * What the person sees while an answer is being written or awaited. It is not stored: the result comes as an outgoing
 * message.
 */
export const LiveWord = z.object({
  group: z.string(),
  /** A part of the answer. */
  part: z.string().optional(),
  /** There is an outgoing message with this id. */
  out: z.int().optional(),
  /** What went wrong, and when the host tries again. */
  trouble: z.string().optional(),
  retryAt: Moment.optional(),
});
export type LiveWord = z.infer<typeof LiveWord>;
