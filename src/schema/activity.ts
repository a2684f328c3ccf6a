import { z } from 'zod';

/** How much was said and done in a stretch of time. An entry counts once, for the session that it belongs to. */
export const Amount = z.object({
  entries: z.int().describe('without those of subagents'),
  prompts: z.int().describe('of these, what a person said'),
  sessions: z.int().describe('in which something was said'),
});
export type Amount = z.infer<typeof Amount>;

/** When something was said and done, by the clock of a zone. Only times and projects in which there was something. */
export const Activity = z.object({
  timeZone: z.string(),
  from: z.string().describe('the first day that was looked at'),
  to: z.string().describe('the last one'),
  total: Amount,
  days: z.array(Amount.extend({ day: z.string().describe('2026-03-01') })),
  hours: z
    .array(Amount.extend({ weekday: z.int().describe('1 is Monday'), hour: z.int() }))
    .describe('hours of the week, over all days'),
  projects: z.array(Amount.extend({ name: z.string(), path: z.string() })).describe('most entries first'),
});
export type Activity = z.infer<typeof Activity>;
