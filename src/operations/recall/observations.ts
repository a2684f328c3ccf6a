// Observations, newest first.
import { z } from 'zod';
import { Observation, ObservationType } from '../../schema/observation.ts';
import { type Context, operation } from '../operation.ts';
import { distilledFields, toDistilledFilter } from './filters.ts';

export const observations = operation({
  name: 'observations',
  summary: 'List observations, one per turn: title, facts, files and decisions, newest first',
  input: z.object({
    ...distilledFields,
    type: ObservationType.optional().describe('only observations of this type'),
  }),
  output: z.object({ observations: z.array(Observation), note: z.string().optional() }),
  surfaces: ['cli', 'http', 'mcp'],
  mcp: {
    without: ['group'],
    description:
      'What past turns came to, newest first: type, title, facts, files, in a line each. Filter by project, session, file, type (bugfix, feature, refactor, change, discovery, decision) or time; get shows one whole.',
    defaults: { limit: 15 },
  },
  examples: [
    'holdfast observations --project .',
    'holdfast observations --type decision --since 30d',
    'holdfast observations --file src/auth.ts --json',
  ],
  async run(context: Context<'distilled' | 'projects'>, input) {
    const found = await context.store.distilled.observations({
      ...(await toDistilledFilter(context, input)),
      ...(input.type === undefined ? {} : { type: input.type }),
    });
    return { observations: [...found], ...(found.length > 0 ? {} : { note: nothingYet }) };
  },
});

export const nothingYet =
  'No observation or summary matches. The worker distils sessions when they pause; `holdfast process` does it now.';
