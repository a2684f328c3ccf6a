// The sessions of one group: for the person, and over HTTP for the group itself, whose token reaches only these.
import { z } from 'zod';
import { longestQuery } from '../../recall/question/words.ts';
import { AgentName } from '../../schema/agent-name.ts';
import { Bookmark, Pointer } from '../../schema/group.ts';
import { GroupHit, Left, leftOf } from '../../sessions/groups/group-tools.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { GroupPorts } from '../ports.ts';
import { groupField, openNamed } from './groups.ts';

const named = z.string().trim().min(1).max(200);
const pathOf = (what: string) => `/api/groups/{group}/${what}`;

export const groupsHistory = operation({
  name: 'groups history',
  summary: 'List the earlier sessions of a group, newest first',
  input: z.object({ group: groupField }),
  output: z.object({ sessions: z.array(Bookmark) }),
  surfaces: ['cli', 'http'],
  http: { path: pathOf('history'), ofGroup: true },
  positional: ['group'],
  examples: ['holdfast groups history dev-team'],
  run: async (context: Context<GroupPorts>, { group }) => ({
    sessions: [...(await (await openNamed(context, group)).bookmarks())],
  }),
});

export const groupsClear = operation({
  name: 'groups clear',
  summary: 'End the active session of a group; with a name it is archived, and can be resumed',
  input: z.object({ group: groupField, name: named.optional().describe('what to call the session') }),
  output: Left,
  surfaces: ['cli', 'http'],
  http: { method: 'POST', path: pathOf('clear'), ofGroup: true },
  positional: ['group'],
  examples: ['holdfast groups clear dev-team --name "Tax research"', 'holdfast groups clear dev-team'],
  run: async (context: Context<GroupPorts>, { group, name }) =>
    leftOf(await (await openNamed(context, group)).clear(name)),
});

export const groupsResume = operation({
  name: 'groups resume',
  summary: 'Make an earlier session of a group the active one',
  input: z.object({
    group: groupField,
    id: z.string().min(1).describe('number of the bookmark, or id of the session'),
    saveCurrentAs: named.optional().describe('name for the session that is active now'),
  }),
  output: z.object({ session: z.string(), left: Left }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST', path: pathOf('resume'), ofGroup: true },
  positional: ['group', 'id'],
  examples: ['holdfast groups resume dev-team 3', 'holdfast groups resume dev-team 3 --save-current-as "Tax research"'],
  async run(context: Context<GroupPorts>, { group, id, saveCurrentAs }) {
    const target = /^\d{1,15}$/.test(id.trim()) ? Number(id) : id.trim();
    const { session, left } = await (await openNamed(context, group)).resume(target, saveCurrentAs);
    return { session, left: leftOf(left) };
  },
});

export const groupsSearch = operation({
  name: 'groups search',
  summary: 'Find sessions of a group by what was said in them',
  input: z.object({
    group: groupField,
    query: z
      .string()
      .trim()
      .min(1)
      .max(longestQuery)
      .meta({ description: 'words, and "phrases in quotes"', rest: true }),
    limit: z.int().min(1).max(100).default(10).describe('at most this many'),
  }),
  output: z.object({ hits: z.array(GroupHit) }),
  surfaces: ['cli', 'http'],
  http: { path: pathOf('search'), ofGroup: true },
  positional: ['group', 'query'],
  examples: ['holdfast groups search dev-team ferry to Naoshima'],
  run: async (context: Context<GroupPorts>, { group, query, limit }) => ({
    hits: [...(await (await openNamed(context, group)).search(query, limit))],
  }),
});

export const groupsPoint = operation({
  name: 'groups point',
  summary: 'Make a session of a group the active one, without closing or archiving anything',
  input: z.object({
    group: groupField,
    session: z.string().min(1).describe('id of one of its sessions, or of one that is not known yet'),
    agent: AgentName.default('claude-code').describe('the agent that the session belongs to'),
  }),
  output: z.object({ pointer: Pointer }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST', path: pathOf('point') },
  positional: ['group', 'session'],
  examples: ['holdfast groups point dev-team 0f3cfa2e-5f0c-4b0e-8a55-6f3f6a5d0c11'],
  async run(context: Context<GroupPorts>, { group, session, agent }) {
    const opened = await openNamed(context, group);
    const given = session.trim();
    const like = (await context.store.sessions.find(given)).filter((one) => one.agent === agent);
    if (like.length > 0 && like.every(({ id }) => id !== given))
      throw new HoldfastError('BAD_INPUT', `${given} is only the beginning of an id`, {
        hint: `Give the whole id: ${like.map(({ id }) => id).join(', ')}`,
      });
    await opened.activate(given, { agent });
    return { pointer: await opened.pointer() };
  },
});
