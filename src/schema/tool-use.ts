import { z } from 'zod';
import { Moment } from './time.ts';

/**
 * One tool use, attached to the entry that asked for it. Input and output are redacted, and shortened in the middle.
 */
export const ToolUse = z.object({
  id: z.string(),
  entry: z.string(),
  tool: z.string(),
  at: Moment,
  input: z.string(),
  files: z.array(z.string()),
  outcome: z.enum(['ok', 'error']).optional().describe('absent while no result has been seen'),
  output: z.string().optional(),
});
export type ToolUse = z.infer<typeof ToolUse>;
