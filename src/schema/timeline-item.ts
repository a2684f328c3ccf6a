import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Role } from './entry.ts';
import { Moment } from './time.ts';

/** One step on the timeline, in a line. */
export const TimelineItem = z.object({
  at: Moment,
  kind: z.enum(['entry']),
  id: z.string(),
  session: z.string(),
  project: z.string(),
  agent: AgentName,
  role: Role,
  did: z.enum(['command', 'edit', 'other']).optional().describe('set if the entry says nothing and only uses tools'),
  text: z.string().describe('shortened; for an entry that only uses tools, what it did'),
});
export type TimelineItem = z.infer<typeof TimelineItem>;
