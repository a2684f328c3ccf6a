import { z } from 'zod';
import { AgentName } from '../../schema/agent-name.ts';
import { Session } from '../../schema/session.ts';
import { HoldfastError } from '../../system/errors.ts';
import { inWords, plannedRemoval, type RemovedSessions, removeSessions } from '../data/remove-sessions.ts';
import { type Context, operation } from '../operation.ts';
import type { BriefingPorts, MemoryPorts } from '../ports.ts';
import { filterFields, toFilter } from './filters.ts';
import { find } from './find.ts';
import { withAccounts } from './session-accounts.ts';

export const sessions = operation({
  name: 'sessions',
  summary: 'List sessions, newest first',
  input: z.object({
    ...filterFields,
    file: z.string().min(1).optional().describe('only sessions whose tools used this file: a path, or the end of one'),
    limit: z.int().min(1).optional().describe('at most this many'),
  }),
  output: z.object({ sessions: z.array(Session) }),
  surfaces: ['cli', 'http', 'mcp'],
  mcp: {
    without: ['group', 'file'],
    description:
      'List past sessions, newest first: when, where, what about. For "what did we do last week" and the like; use get for details.',
    defaults: { limit: 20 },
  },
  examples: [
    'holdfast sessions',
    'holdfast sessions --project . --since 7d',
    'holdfast sessions --file src/auth/jwt.ts',
    'holdfast sessions --limit 5 --json',
  ],
  async run(context: Context<'projects' | 'search' | 'sessions' | 'usage'>, { file, limit, ...input }) {
    const filter = await toFilter(context, input);
    const most = limit === undefined ? {} : { limit };
    if (file === undefined)
      return { sessions: await withAccounts(context, await context.store.sessions.list({ ...filter, ...most })) };
    // Loaded only here so that a plain list does not pay for it.
    const { sessionsByFile } = await import('../../recall/briefing/by-file.ts');
    const used = await sessionsByFile(context, file);
    const found = (await context.store.sessions.list(filter)).filter(used).slice(0, limit);
    return { sessions: await withAccounts(context, found) };
  },
});

export const sessionsDelete = operation({
  name: 'sessions delete',
  ending: 'orderly',
  summary: 'Delete a session from the store with everything derived from it; the agent keeps its transcript',
  input: z.object({
    id: z.string().min(1).describe('id of a session; its beginning is enough'),
    agent: AgentName.optional().describe('the agent, if two agents use the same id'),
    dryRun: z.boolean().default(false).describe('only show what would be deleted'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({
    session: z.string(),
    agent: AgentName,
    deleted: z.boolean().describe('false: nothing was changed'),
    entries: z.int(),
    toolUses: z.int(),
    conversations: z.int(),
    memories: z.int().describe('conversations whose memories are deleted'),
    copies: z.int().describe('copies of its transcripts in the vault'),
    archives: z.array(z.string()).describe('archives that are deleted'),
    kept: z.array(z.string()).describe('archives that stay because they were edited by hand'),
  }),
  destroys: true,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['id'],
  examples: ['holdfast sessions delete 0f3c', 'holdfast sessions delete 0f3c --dry-run'],
  succeeded: ({ deleted }, { dryRun }) => deleted || dryRun,
  async run(context: Context<BriefingPorts | MemoryPorts | 'removal'>, { id, agent, dryRun, yes }) {
    const { session, entry } = await find(context.store, id.trim(), agent);
    if (entry !== undefined)
      throw new HoldfastError('BAD_INPUT', `${id} is an entry, not a session`, {
        hint: `Its session is ${session.id}.`,
      });
    const named = { session: session.id, agent: session.agent };
    const answer = ({ sessions: _, archives, kept, ...removed }: RemovedSessions) => {
      return { ...named, ...removed, archives: [...archives], kept: [...kept] };
    };
    const planned = await plannedRemoval(context, [session]);
    const goes = inWords({ ...planned, archives: planned.archives.length });
    const question = `Delete the session ${session.title}: ${goes}?`;
    if (dryRun || (!yes && (await context.person?.agrees?.(question)) === false))
      return { ...answer(planned), deleted: false };
    const removed = await removeSessions(context, [named]);
    if (removed.sessions === 0) throw new HoldfastError('NOT_FOUND', `There is no session ${session.id} any more`);
    return { ...answer(removed), deleted: true };
  },
});
