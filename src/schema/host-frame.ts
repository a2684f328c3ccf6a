// Messages between the host and the runner in the sandbox. No frame identifies the runner: the host knows it by the
// socket.
import { z } from 'zod';

/** The kinds of agents that a runner can drive. */
export const HostedAgent = z.enum(['claude']);
export type HostedAgent = z.infer<typeof HostedAgent>;

/** A tool of the group, as the model sees it. The host answers its calls. */
export const HostTool = z.strictObject({
  name: z.string().regex(/^[a-z][a-z_]{0,60}$/),
  description: z.string(),
  /** JSON Schema of an object. */
  input: z.record(z.string(), z.unknown()),
});
export type HostTool = z.infer<typeof HostTool>;

/** Names from the agent become parts of paths. */
const AgentId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/);
const MessageId = z.string().min(1).max(200);
const CallId = z.string().min(1).max(200);

/** The first frame, sent once. Without `session`, starts a new one. */
export const StartFrame = z.strictObject({
  type: z.literal('start'),
  agent: HostedAgent,
  session: z.string().min(1).optional(),
  /** The answer to continue after. If the session does not know it, it continues after its newest answer. */
  resumeAt: z.string().min(1).optional(),
  /** Added to the agent's own system prompt. */
  append: z.string(),
  /** The agent's whole environment: nothing is inherited. */
  environment: z.record(z.string(), z.string()),
  model: z.string().min(1).optional(),
  tools: z.array(HostTool),
});
export type StartFrame = z.infer<typeof StartFrame>;

/** Host to runner. */
export const HostFrame = z.discriminatedUnion('type', [
  StartFrame,
  z.strictObject({ type: z.literal('message'), id: MessageId, text: z.string() }),
  /** The runner still answers what it has taken. The host sends everything else to the next process. */
  z.strictObject({ type: z.literal('close') }),
  /** The answer to a `call`. */
  z.strictObject({ type: z.literal('reply'), call: CallId, ok: z.boolean(), text: z.string() }),
]);
export type HostFrame = z.infer<typeof HostFrame>;

/**
 * Why an agent could not continue. `missing`, `corrupt`: the session in `start` cannot be resumed, and the host must
 * start a new one; no other kind means that. `other`: the session is not to blame.
 */
export const FailureKind = z.enum(['missing', 'corrupt', 'other']);
export type FailureKind = z.infer<typeof FailureKind>;

/** One answer, or why there is no answer. */
export const ResultFrame = z.strictObject({
  type: z.literal('result'),
  /** The messages that it answers: all that were taken and not answered before. */
  answers: z.array(MessageId),
  /** False: the turn failed, and `text` says why. */
  ok: z.boolean(),
  text: z.string(),
  session: AgentId,
  /** The session's position now: a later `resumeAt` may name it. */
  at: AgentId.optional(),
});
export type ResultFrame = z.infer<typeof ResultFrame>;

/** Runner to host. */
export const RunnerFrame = z.discriminatedUnion('type', [
  /** The runner is ready, and waits for `start`. */
  z.strictObject({ type: z.literal('hello'), protocol: z.literal(1) }),
  /** The agent has named its session: sent at once, and again when the name changes. */
  z.strictObject({ type: z.literal('session'), session: AgentId }),
  /** The agent has received this message. Without this frame, the agent has not seen it. */
  z.strictObject({ type: z.literal('taken'), id: MessageId }),
  /** A part of the answer that is being written. */
  z.strictObject({ type: z.literal('delta'), text: z.string() }),
  ResultFrame,
  z.strictObject({ type: z.literal('call'), call: CallId, tool: z.string(), input: z.unknown() }),
  /**
   * A compaction begins: the host may archive the session before it replies to `call`. The compaction also continues
   * without a reply.
   */
  z.strictObject({ type: z.literal('compacting'), call: CallId, session: AgentId }),
  z.strictObject({ type: z.literal('failed'), kind: FailureKind, message: z.string() }),
  /** The agent has ended in order; every message that was taken is answered. */
  z.strictObject({ type: z.literal('closed') }),
]);
export type RunnerFrame = z.infer<typeof RunnerFrame>;
