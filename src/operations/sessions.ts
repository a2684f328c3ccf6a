import { z } from 'zod';
import { conversationRules } from '../capture/ingest.ts';
import { dropCopy } from '../capture/vault.ts';
import { HoldfastError } from '../errors.ts';
import { AgentName } from '../schema/agent-name.ts';
import { Session } from '../schema/session.ts';
import { dropArchives } from '../sessions/archives.ts';
import { filterFields, toFilter } from './filters.ts';
import { find } from './find.ts';
import { librarian, toDeps } from './memory.ts';
import { type Context, operation } from './operation.ts';

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
    const { store, config } = context;
    const { session, entry } = await find(store, id.trim(), agent);
    if (entry !== undefined)
      throw new HoldfastError('BAD_INPUT', `${id} is an entry, not a session`, {
        hint: `Its session is ${session.id}.`,
      });
    // Before the rows go: broken off, the session is still there to be deleted again.
    const memories = await forgetMemories(context, session);
    const copies = await store.sessionCopies(session.agent, session.id);
    const removed = await store.deleteSession(session.agent, session.id, conversationRules(config.settings));
    if (removed === undefined) throw new HoldfastError('NOT_FOUND', `There is no session ${session.id} any more`);
    // Whoever was at work with it may have kept something meanwhile.
    await forgetMemories(context, session);
    for (const copy of copies) await dropCopy({ store, config }, copy);
    const archives = await dropArchives({ store }, session.agent, session.id);
    return {
      session: session.id,
      agent: session.agent,
      ...removed,
      memories,
      copies: copies.length,
      archives: archives.removed,
      kept: archives.kept,
    };
  },
});

async function forgetMemories(context: Context, { agent, id }: Session): Promise<number> {
  if ((await context.store.extractions({ agent, session: id })).length === 0) return 0;
  const { forgetSource, commitPages } = await librarian();
  const { extractions } = await forgetSource(toDeps(context), { agent, session: id });
  await commitPages(toDeps(context));
  return extractions;
}
