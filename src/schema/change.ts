import { z } from 'zod';
import { AgentName } from './agent-name.ts';

/** A change in the store, numbered in order. Says where to look, never contains text. */
export const Change = z.object({
  seq: z.int().describe('grows with every change, also across restarts of the worker'),
  kind: z.enum(['entries', 'state', 'observations', 'summary', 'memory', 'gone']),
  agent: AgentName.optional(),
  session: z.string().optional(),
  page: z.string().optional().describe('for kind memory: the page'),
});
export type Change = z.infer<typeof Change>;
