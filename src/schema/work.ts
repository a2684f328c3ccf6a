import { z } from 'zod';
import { Moment } from './time.ts';

/** What the worker does in the background right now. Contains counts, never text. */
export const Work = z.object({
  kind: z.enum(['import', 'reread', 'redact', 'embed', 'refine', 'distill', 'copy', 'backup']),
  since: Moment,
  done: z.int().min(0).optional().describe('absent if the work cannot be counted'),
  total: z.int().min(0).optional(),
  share: z.number().min(0).max(1).optional().describe('how much is done; of an import: of its bytes'),
  secondsLeft: z
    .int()
    .min(0)
    .optional()
    .describe('estimated from the speed of the last seconds; absent if that says nothing'),
});
export type Work = z.infer<typeof Work>;
export type WorkKind = Work['kind'];

export interface WorkSource {
  now(): Work[];
  /** Calls `listen` soon after a change. Returns a function that unsubscribes. */
  subscribe(listen: (work: Work[]) => void): () => void;
}
