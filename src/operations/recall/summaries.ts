// Summaries of sessions, newest first.
import { z } from 'zod';
import { Summary } from '../../schema/summary.ts';
import { type Context, operation } from '../operation.ts';
import { distilledFields, toDistilledFilter } from './filters.ts';
import { nothingYet } from './observations.ts';

export const summaries = operation({
  name: 'summaries',
  summary: 'List summaries of sessions: request, investigated, learned, completed, next steps, newest first',
  input: z.object({
    ...distilledFields,
    past: z.boolean().default(false).describe('also the summaries at the ends of earlier turns, below the last one'),
  }),
  output: z.object({ summaries: z.array(Summary), note: z.string().optional() }),
  surfaces: ['cli', 'http', 'mcp'],
  mcp: {
    without: ['group', 'past'],
    description:
      'Summaries of past sessions, newest first: what was asked, learned, completed and left open. Filter by project, session, file or time; get shows one whole.',
    defaults: { limit: 5 },
  },
  examples: [
    'holdfast summaries --project .',
    'holdfast summaries --session 0f3c --past',
    'holdfast summaries --since 7d --json',
  ],
  async run(context: Context<'distilled' | 'projects'>, input) {
    const last = await context.store.distilled.summaries(await toDistilledFilter(context, input));
    const found: Summary[] = [];
    for (const one of last)
      found.push(one, ...(input.past ? [...(await context.store.distilled.pastSummaries(one))].reverse() : []));
    return { summaries: found, ...(found.length > 0 ? {} : { note: nothingYet }) };
  },
});
