import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

export const ConversationStatus = z.enum(['active', 'ready', 'queued', 'processing', 'archived', 'skipped']);
export type ConversationStatus = z.infer<typeof ConversationStatus>;

/** A part of one transcript between two silences. */
export const Conversation = z.object({
  id: z.number().int(),
  session: z.string(),
  agent: AgentName,
  project: z.string(),
  file: z.string().describe('key of the transcript'),
  status: ConversationStatus,
  reason: z.string().optional().describe('why it was skipped, or why the last attempt failed'),
  attempts: z.number().int(),
  firstPos: z.number().int().describe('position of its first entry in the transcript'),
  firstAt: Moment,
  lastAt: Moment,
  entries: z.number().int(),
  title: z.string(),
});
export type Conversation = z.infer<typeof Conversation>;
