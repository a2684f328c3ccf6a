import { z } from 'zod';

/** How much was said and done in a span of time. An entry counts once, for the session that it belongs to. */
export const Amount = z.object({
  entries: z.int().describe('entries, without those of subagents'),
  prompts: z.int().describe('how many of them are prompts of a person'),
  sessions: z.int().describe('sessions with entries in this time'),
});
export type Amount = z.infer<typeof Amount>;

/** Activity over time in a time zone. Only lists times and projects with activity. */
export const Activity = z.object({
  timeZone: z.string(),
  from: z.string().describe('the first day'),
  to: z.string().describe('the last day'),
  total: Amount,
  days: z.array(Amount.extend({ day: z.string().describe('2026-03-01') })),
  hours: z
    .array(Amount.extend({ weekday: z.int().describe('1 is Monday'), hour: z.int() }))
    .describe('hours of the week, over all days'),
  projects: z.array(Amount.extend({ name: z.string(), path: z.string() })).describe('most entries first'),
});
export type Activity = z.infer<typeof Activity>;
