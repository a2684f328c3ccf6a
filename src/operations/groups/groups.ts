// Groups, for the person: which there are, and making and removing them.
import fs from 'node:fs';
import { z } from 'zod';
import { Bookmark, Group, GroupName, mainGroup } from '../../schema/group.ts';
import { IncomingMessage } from '../../schema/group-message.ts';
import { globalMemoryFile, groupFolders } from '../../sessions/groups/group-folders.ts';
import { createGroup, openGroup } from '../../sessions/groups/groups.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { groupDeps } from './group-deps.ts';

export const groupField = z.string().min(1).describe('name of the group');

export const openNamed = (context: Context, group: string) =>
  openGroup(groupDeps(context, context.closeGroup), group.trim());

const Folders = z.object({
  work: z.string().describe('where its agent works'),
  conversations: z.string().describe('its archives'),
  agentHome: z.string().describe('what its agent has as home folder'),
  snapshots: z.string().describe('what its process finds at its start'),
  global: z.string().describe('what all groups are told; main alone may write it'),
});

export const groups = operation({
  name: 'groups',
  summary: 'List groups: who shares memory and a sandbox, and which session is active for them',
  input: z.object({}),
  output: z.object({ groups: z.array(Group) }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast groups', 'holdfast groups --json'],
  run: async ({ store }) => ({ groups: [...(await store.groups.list())] }),
});

export const groupsCreate = operation({
  name: 'groups create',
  summary: 'Make a group with its folders; one that is there stays as it is, and gets what it lacks',
  input: z.object({ group: GroupName.describe('a-z, 0-9, _ and -; main is the one that sees all others') }),
  output: z.object({ group: Group, made: z.boolean().describe('false: it was there already'), folders: Folders }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['group'],
  examples: [`holdfast groups create ${mainGroup}`, 'holdfast groups create dev-team'],
  async run(context, { group }) {
    const made = await createGroup(groupDeps(context), group);
    return { group: await known(context, group), made, folders: foldersOf(context, group) };
  },
});

export const groupsShow = operation({
  name: 'groups show',
  summary: 'Show a group: its active session, its earlier ones, what has no answer yet, and its folders',
  input: z.object({ group: groupField }),
  output: z.object({
    group: Group,
    bookmarks: z.array(Bookmark),
    unanswered: z.array(IncomingMessage).describe('messages that wait, that an agent has, or that were given up'),
    told: z.int().describe('the number after which the stream of its events tells what is not in this answer yet'),
    folders: Folders,
  }),
  surfaces: ['cli', 'http'],
  http: { path: '/api/groups/{group}' },
  positional: ['group'],
  examples: ['holdfast groups show dev-team'],
  async run(context, { group }) {
    const { name, getHistory } = await openNamed(context, group);
    return {
      // First: what is told meanwhile is told again rather than never.
      told: await context.store.messages.lastOutgoing(),
      group: await known(context, name),
      bookmarks: [...(await getHistory())],
      unanswered: [...(await context.store.messages.unanswered(name))],
      folders: foldersOf(context, name),
    };
  },
});

export const groupsRemove = operation({
  name: 'groups remove',
  summary:
    'Remove a group with its folders and its agent’s transcripts; what was said there is found with --group <name>:removed',
  input: z.object({
    group: groupField,
    dryRun: z.boolean().default(false).describe('only say what would go'),
    yes: z.boolean().default(false).describe('do not ask; needed where nobody can be asked'),
  }),
  output: z.object({
    group: z.string(),
    removed: z.boolean().describe('false: nothing was changed'),
    session: z.string().optional().describe('the active session, which is none any more'),
    bookmarks: z.int(),
    folders: z.array(z.string()).describe('folders that go with all they hold'),
    sessions: z.int().describe('sessions that stay in the memory, apart from yours'),
  }),
  destroys: true,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['group'],
  examples: ['holdfast groups remove dev-team --dry-run', 'holdfast groups remove dev-team --yes'],
  succeeded: ({ removed }, { dryRun }) => removed || dryRun,
  async run(context, { group: given, dryRun, yes }) {
    const { store, config, person } = context;
    const { name } = await openNamed(context, given);
    const { pointer, bookmarks, sessions } = await known(context, name);
    const { work, conversations, agentHome, snapshots } = groupFolders(config, name);
    const { takeIn, close } = groupDeps(context, context.closeGroup);
    // What its agent has written and nobody has taken in would be lost.
    await takeIn?.(name);
    const folders = [agentHome, snapshots, work].filter((folder) => fs.existsSync(folder));
    const { session } = pointer;
    const answer = { group: name, ...(session === undefined ? {} : { session }), bookmarks, folders, sessions };
    const question = `Remove the group ${name} with ${folders.join(', ')}?`;
    if (dryRun || (!yes && (await person?.agrees?.(question)) !== true)) return { ...answer, removed: false };
    await close?.(name);
    // Folders first: broken off, the group is still there to be removed again.
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
    await store.groups.remove(name, conversations);
    return { ...answer, removed: true };
  },
});

export const groupsToken = operation({
  name: 'groups token',
  summary: 'Print the token with which a group reaches its own sessions over HTTP, and nothing else',
  input: z.object({ group: groupField }),
  output: z.object({ group: z.string(), token: z.string() }),
  surfaces: ['cli'],
  positional: ['group'],
  examples: ['holdfast groups token dev-team'],
  async run(context, { group }) {
    const { name } = await openNamed(context, group);
    const { groupToken, openTokens } = await import('../../processes/access/tokens.ts');
    return { group: name, token: groupToken(openTokens(context.config.home), await known(context, name)) };
  },
});

export async function known({ store }: Context, name: string): Promise<Group> {
  const found = await store.groups.get(name);
  if (found !== undefined) return found;
  throw new HoldfastError('NOT_FOUND', `There is no group ${name} any more`);
}

const foldersOf = ({ config }: Context, group: string): z.infer<typeof Folders> => ({
  ...groupFolders(config, group),
  global: globalMemoryFile(config),
});
