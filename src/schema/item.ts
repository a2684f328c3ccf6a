import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Role } from './entry.ts';
import { Moment } from './time.ts';
import { ToolUse } from './tool-use.ts';

export const ItemKind = z.enum(['entry', 'session', 'observation', 'summary', 'memory']);
export type ItemKind = z.infer<typeof ItemKind>;

/** One thing that is remembered, in full. */
export const Item = z.object({
  kind: ItemKind,
  id: z.string(),
  at: Moment,
  project: z.string(),
  agent: AgentName.optional(),
  session: z.string().optional(),
  title: z.string().optional(),
  page: z.string().optional().describe('of a memory: the path of its page below the folder of memories'),
  role: Role.optional(),
  subagent: z.string().optional(),
  abandoned: z.boolean().optional(),
  gone: z.boolean().optional().describe('no longer in the transcript'),
  text: z.string().describe('of a session, its entries in a line each'),
  toolUses: z.array(ToolUse).optional(),
  before: z.string().optional().describe('id of what comes before it'),
  after: z.string().optional().describe('id of what comes after it'),
  cut: z
    .object({
      characters: z.int().describe('of the text that are still to come'),
      from: z.int().describe('where to go on'),
      toolUses: z.int().describe('uses of tools that had no room'),
    })
    .optional()
    .describe('set when there is more than was asked for'),
});
export type Item = z.infer<typeof Item>;
