import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

export const JobKind = z.enum(['observe', 'summarize', 'remember']);
export type JobKind = z.infer<typeof JobKind>;

export const JobStatus = z.enum(['ready', 'claimed', 'done', 'failed', 'cancelled']);
export type JobStatus = z.infer<typeof JobStatus>;

/** One piece of distilling work. New material makes a finished job ready again. */
export const Job = z.object({
  id: z.int(),
  kind: JobKind,
  agent: AgentName,
  session: z.string(),
  project: z.string(),
  subject: z.string().describe('observe: number of the prompt; remember: id of the conversation; summarize: empty'),
  status: JobStatus,
  at: Moment.describe('when its material last changed'),
  notBefore: Moment.describe('when it may start'),
  waitsFor: z.string().optional().describe('why it may not start yet: budget, model, or silence'),
  attempts: z.int(),
  error: z.string().optional().describe('why the last attempt failed'),
  by: z.string().optional().describe('the distiller that did it: offline, or the model'),
  tokens: z.int().describe('tokens used'),
  updatedAt: Moment,
});
export type Job = z.infer<typeof Job>;

/** Tokens used by calls to a model. */
export interface Usage {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

/** What a group of calls has cost. */
export const Spending = z.object({
  calls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  insteadOf: z.int().describe('tokens that one call per tool use would have used'),
});
export type Spending = z.infer<typeof Spending>;
