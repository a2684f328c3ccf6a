import { z } from 'zod';
import { HoldfastError } from '../errors.ts';
import { AgentName } from '../schema/agent-name.ts';
import { Session } from '../schema/session.ts';
import { filterFields, toFilter } from './filters.ts';
import { find } from './find.ts';
import { operation } from './operation.ts';
import { removeSessions } from './remove-sessions.ts';

export const sessions = operation({
  name: 'sessions',
  summary: 'List sessions, newest first',
  input: z.object({
    ...filterFields,
    limit: z.int().min(1).optional().describe('at most this many'),
  }),
  output: z.object({ sessions: z.array(Session) }),
  surfaces: ['cli', 'http', 'mcp'],
  mcp: {
    description:
      'List past sessions, newest first: when, where, what about. For "what did we do last week" and the like; go on with get.',
    defaults: { limit: 20 },
  },
  examples: ['holdfast sessions', 'holdfast sessions --project . --since 7d', 'holdfast sessions --limit 5 --json'],
  async run(context, input) {
    const filter = await toFilter(context, input);
    const found = await context.store.sessions({ ...filter, ...(input.limit ? { limit: input.limit } : {}) });
    return { sessions: [...found] };
  },
});

export const sessionsDelete = operation({
  name: 'sessions delete',
  summary: 'Take a session out of the store with all that hangs on it; its transcript stays with the agent',
  input: z.object({
    id: z.string().min(1).describe('id of a session; its beginning is enough'),
    agent: AgentName.optional().describe('the agent, where two use the same id'),
  }),
  output: z.object({
    session: z.string(),
    agent: AgentName,
    entries: z.int(),
    toolUses: z.int(),
    conversations: z.int(),
    memories: z.int().describe('conversations whose memories went'),
    copies: z.int().describe('copies of its transcripts in the vault'),
    archives: z.array(z.string()).describe('archives that were removed'),
    kept: z.array(z.string()).describe('archives that somebody has changed: they stay'),
  }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id'],
  examples: ['holdfast sessions delete 0f3c'],
  async run(context, { id, agent }) {
    const { store } = context;
    const { session, entry } = await find(store, id.trim(), agent);
    if (entry !== undefined)
      throw new HoldfastError('BAD_INPUT', `${id} is an entry, not a session`, {
        hint: `Its session is ${session.id}.`,
      });
    const { sessions: gone, ...removed } = await removeSessions(context, [
      { agent: session.agent, session: session.id },
    ]);
    if (gone === 0) throw new HoldfastError('NOT_FOUND', `There is no session ${session.id} any more`);
    return {
      session: session.id,
      agent: session.agent,
      ...removed,
      archives: [...removed.archives],
      kept: [...removed.kept],
    };
  },
});
