import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

export const SessionStatus = z.enum(['initialized', 'active', 'summarizing', 'completed']);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** What hooks and clients report about a session besides its transcript. */
export const SessionState = z.object({
  agent: AgentName,
  session: z.string(),
  status: SessionStatus,
  prompts: z.number().int().describe('prompts reported by hooks or a client'),
  endReason: z.string().optional(),
  lastUserMessage: z.string().optional(),
  lastAssistantMessage: z.string().optional(),
  updatedAt: Moment,
});
export type SessionState = z.infer<typeof SessionState>;
