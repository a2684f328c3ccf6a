import { z } from 'zod';

/** The tokens that a session used with one model, as its transcript states them. */
export const ModelUsage = z.object({
  model: z.string().describe('empty if the transcript names no model'),
  answers: z.int(),
  input: z.int().describe('input tokens, without cached ones'),
  output: z.int(),
  cacheRead: z.int(),
  cacheWrite: z.int(),
  cacheWriteHour: z.int().describe('written to a cache that lasts an hour'),
});
export type ModelUsage = z.infer<typeof ModelUsage>;
