import { z } from 'zod';
import { Moment } from './time.ts';

/** A working tree's identity: its git root (worktrees share it), or the folder itself. */
export const Project = z.object({
  name: z.string().describe('the name of its folder'),
  label: z.string().describe('a name that no other project has'),
  path: z.string(),
  sessions: z.number().int(),
  entries: z.number().int(),
  lastActivityAt: Moment,
});
export type Project = z.infer<typeof Project>;
