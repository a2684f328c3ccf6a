import { z } from 'zod';
import { Moment } from './time.ts';

/** `handed`: a process of the agent has it. `given-up`: tried too often; the group's next message tries it once more. */
export const MessageState = z.enum(['waiting', 'handed', 'answered', 'given-up']);
export type MessageState = z.infer<typeof MessageState>;

/** What somebody has said to a group's agent. */
export const IncomingMessage = z.object({
  id: z.int(),
  group: z.string(),
  text: z.string().describe('empty once it was answered: the session has it'),
  from: z.string().optional().describe('who says it, where several people share a group'),
  arrivedAt: Moment,
  state: MessageState,
  attempts: z.int().describe('how often an agent failed at it before it had said anything'),
});
export type IncomingMessage = z.infer<typeof IncomingMessage>;

/** `answer`: the end of a turn. `message`: said on the way, or by another group's task. `notice`: what the host has to say. */
export const OutgoingKind = z.enum(['answer', 'message', 'notice']);
export type OutgoingKind = z.infer<typeof OutgoingKind>;

/** What a group's people are told. The ids grow, over all groups. */
export const OutgoingMessage = z.object({
  id: z.int(),
  group: z.string(),
  kind: OutgoingKind,
  text: z.string(),
  answers: z.array(z.int()).describe('the messages that need no other answer now'),
  task: z.int().optional().describe('the scheduled task that it comes from'),
  at: Moment,
});
export type OutgoingMessage = z.infer<typeof OutgoingMessage>;

/** What the person sees while an answer is being written, or waited for. It is not kept: what counts comes as an outgoing message. */
export const LiveWord = z.object({
  group: z.string(),
  /** A piece of the answer. */
  part: z.string().optional(),
  /** There is an outgoing message with this id. */
  out: z.int().optional(),
  /** What went wrong, and when it is tried again. */
  trouble: z.string().optional(),
  retryAt: Moment.optional(),
});
export type LiveWord = z.infer<typeof LiveWord>;
