import { z } from 'zod';
import { Session } from '../schema/session.ts';
import { filterFields, toFilter } from './filters.ts';
import { operation } from './operation.ts';

export const sessions = operation({
  name: 'sessions',
  summary: 'List sessions, newest first',
  input: z.object({
    ...filterFields,
    limit: z.int().min(1).optional().describe('at most this many'),
  }),
  output: z.object({ sessions: z.array(Session) }),
  surfaces: ['cli', 'http', 'mcp'],
  examples: ['holdfast sessions', 'holdfast sessions --project . --since 7d', 'holdfast sessions --limit 5 --json'],
  async run(context, input) {
    const filter = await toFilter(context, input);
    const found = await context.store.sessions({ ...filter, ...(input.limit ? { limit: input.limit } : {}) });
    return { sessions: [...found] };
  },
});
