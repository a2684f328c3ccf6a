// Groups, for the person: list, create, show and remove them.
import fs from 'node:fs';
import { z } from 'zod';
import { Bookmark, Group, GroupName, mainGroup } from '../../schema/group.ts';
import { IncomingMessage } from '../../schema/group-message.ts';
import { globalMemoryFile, groupFolders } from '../../sessions/groups/group-folders.ts';
import { createGroup, openGroup } from '../../sessions/groups/groups.ts';
import { removeTree } from '../../system/beneath.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { GroupPorts } from '../ports.ts';
import { groupDeps } from './group-deps.ts';

export const groupField = z.string().min(1).describe('name of the group');

export const openNamed = (context: Context<GroupPorts>, group: string) =>
  openGroup(groupDeps(context, context.closeGroup), group.trim());

const Folders = z.object({
  work: z.string().describe('where its agent works'),
  conversations: z.string().describe('its archives'),
  agentHome: z.string().describe('the home folder of its agent'),
  snapshots: z.string().describe('files that its process finds when it starts'),
  global: z.string().describe('instructions for all groups; only main may write them'),
});

export const groups = operation({
  name: 'groups',
  summary: 'List groups, each with its own memory and sandbox, and their active sessions',
  input: z.object({}),
  output: z.object({ groups: z.array(Group) }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast groups', 'holdfast groups --json'],
  run: async ({ store }: Context<'groups'>) => ({ groups: [...(await store.groups.list())] }),
});

export const groupsCreate = operation({
  name: 'groups create',
  summary: 'Create a group with its folders; an existing group stays as it is and gets any missing folders',
  input: z.object({ group: GroupName.describe('a-z, 0-9, _ and -; main sees all other groups') }),
  output: z.object({ group: Group, made: z.boolean().describe('false: the group existed already'), folders: Folders }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['group'],
  examples: [`holdfast groups create ${mainGroup}`, 'holdfast groups create dev-team'],
  async run(context: Context<GroupPorts>, { group }) {
    const made = await createGroup(groupDeps(context), group);
    return { group: await known(context, group), made, folders: foldersOf(context, group) };
  },
});

export const groupsShow = operation({
  name: 'groups show',
  summary: 'Show a group: its active session, earlier sessions, unanswered messages, and folders',
  input: z.object({ group: groupField }),
  output: z.object({
    group: Group,
    bookmarks: z.array(Bookmark),
    unanswered: z
      .array(IncomingMessage)
      .describe('messages that wait, that an agent is working on, or that were given up'),
    told: z
      .int()
      .describe('the event number to continue from: the event stream sends what is not in this answer after it'),
    folders: Folders,
  }),
  surfaces: ['cli', 'http'],
  http: { path: '/api/groups/{group}' },
  positional: ['group'],
  examples: ['holdfast groups show dev-team'],
  async run(context: Context<GroupPorts | 'messages'>, { group }) {
    const { name, bookmarks } = await openNamed(context, group);
    return {
      // Read this first, so that an event in the meantime is sent twice rather than never.
      told: await context.store.messages.lastOutgoing(),
      group: await known(context, name),
      bookmarks: [...(await bookmarks())],
      unanswered: [...(await context.store.messages.unanswered(name))],
      folders: foldersOf(context, name),
    };
  },
});

export const groupsRemove = operation({
  name: 'groups remove',
  summary:
    'Remove a group with its folders and its agent’s transcripts; search still finds its sessions with --group <name>:removed',
  input: z.object({
    group: groupField,
    dryRun: z.boolean().default(false).describe('only show what would be deleted'),
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({
    group: z.string(),
    removed: z.boolean().describe('false: nothing was changed'),
    session: z.string().optional().describe('the session that was active'),
    bookmarks: z.int(),
    folders: z.array(z.string()).describe('folders that are deleted with everything in them'),
    sessions: z.int().describe('sessions that stay in memory, separate from yours'),
  }),
  destroys: true,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['group'],
  examples: ['holdfast groups remove dev-team --dry-run', 'holdfast groups remove dev-team --yes'],
  succeeded: ({ removed }, { dryRun }) => removed || dryRun,
  async run(context: Context<GroupPorts>, { group: given, dryRun, yes }) {
    const { store, config, person } = context;
    const { name } = await openNamed(context, given);
    const { pointer, bookmarks, sessions } = await known(context, name);
    const { work, conversations, agentHome, snapshots } = groupFolders(config, name);
    const { takeIn, close } = groupDeps(context, context.closeGroup);
    // Import what its agent has written since the last import, or it would be lost.
    await takeIn?.(name);
    const folders = [agentHome, snapshots, work].filter((folder) => fs.existsSync(folder));
    const { session } = pointer;
    const answer = { group: name, ...(session === undefined ? {} : { session }), bookmarks, folders, sessions };
    const question = `Remove the group ${name} with ${folders.join(', ')}?`;
    if (dryRun || (!yes && (await person?.agrees?.(question)) !== true)) return { ...answer, removed: false };
    await close?.(name);
    // Delete folders first: if the process stops here, the group still exists and can be removed again.
    for (const folder of folders) removeTree(folder);
    await store.groups.remove(name, conversations);
    return { ...answer, removed: true };
  },
});

export const groupsToken = operation({
  name: 'groups token',
  summary: 'Print the token that gives a group access to its own sessions over HTTP, and to nothing else',
  input: z.object({ group: groupField }),
  output: z.object({ group: z.string(), token: z.string() }),
  surfaces: ['cli'],
  positional: ['group'],
  examples: ['holdfast groups token dev-team'],
  async run(context: Context<GroupPorts>, { group }) {
    const { name } = await openNamed(context, group);
    const { groupToken, openTokens } = await import('../../processes/access/tokens.ts');
    return { group: name, token: groupToken(openTokens(context.config.home), await known(context, name)) };
  },
});

export async function known({ store }: Context<'groups'>, name: string): Promise<Group> {
  const found = await store.groups.get(name);
  if (found !== undefined) return found;
  throw new HoldfastError('NOT_FOUND', `There is no group ${name} any more`);
}

const foldersOf = ({ config }: Context<never>, group: string): z.infer<typeof Folders> => ({
  ...groupFolders(config, group),
  global: globalMemoryFile(config),
});
