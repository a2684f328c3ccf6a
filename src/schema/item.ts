import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Role } from './entry.ts';
import { Moment } from './time.ts';
import { ToolUse } from './tool-use.ts';

export const ItemKind = z.enum(['entry', 'session', 'observation', 'summary', 'memory']);
export type ItemKind = z.infer<typeof ItemKind>;

/** One stored item, in full. */
export const Item = z.object({
  kind: ItemKind,
  id: z.string(),
  at: Moment,
  project: z.string(),
  agent: AgentName.optional(),
  session: z.string().optional(),
  title: z.string().optional(),
  page: z.string().optional().describe('for a memory: the path of its page below the memory folder'),
  role: Role.optional(),
  subagent: z.string().optional(),
  abandoned: z.boolean().optional(),
  gone: z.boolean().optional().describe('no longer in the transcript'),
  text: z.string().describe('for a session: one line per entry'),
  toolUses: z.array(ToolUse).optional(),
  before: z.string().optional().describe('id of the item before it'),
  after: z.string().optional().describe('id of the item after it'),
  cut: z
    .object({
      characters: z.int().describe('characters of text that were left out'),
      from: z.int().describe('the character to continue from'),
      toolUses: z.int().describe('tool uses that were left out'),
    })
    .optional()
    .describe('set if something was left out'),
});
export type Item = z.infer<typeof Item>;
