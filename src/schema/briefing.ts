import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

/** Why a session asks for its briefing. */
export const BriefingSource = z.enum(['startup', 'resume', 'clear', 'compact']);
export type BriefingSource = z.infer<typeof BriefingSource>;

export const BriefingItem = z.object({
  kind: z.enum([
    'project',
    'pinned',
    'this-session',
    'open',
    'command',
    'decision',
    'fact',
    'insight',
    'teammate',
    'session',
    'earlier',
    'file',
    'past',
  ]),
  id: z.string().optional().describe('the session or entry it comes from'),
  text: z.string(),
});
export type BriefingItem = z.infer<typeof BriefingItem>;

/** A briefing as a session got it. */
export const GivenBriefing = z.object({
  agent: AgentName,
  session: z.string(),
  project: z.string(),
  at: Moment,
  source: BriefingSource,
  text: z.string(),
});
export type GivenBriefing = z.infer<typeof GivenBriefing>;
