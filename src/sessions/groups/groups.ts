// Groups: each has one active session at a time, and earlier ones under names.
import path from 'node:path';
import type { AgentName } from '../../schema/agent-name.ts';
import { type Bookmark, GroupName, type Pointer } from '../../schema/group.ts';
import type { Leaving } from '../../store/groups/port.ts';
import type { SessionKey } from '../../store/sessions/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { archiveSession } from '../archives/archives.ts';
import { groupAgent, groupFolders, prepareFolders } from './group-folders.ts';
import type { Cleared, GroupDeps, GroupHit, GroupSessions, Resumed } from './group-sessions.ts';
import { handleLoss } from './lost-session.ts';
import { writeSnapshots } from './snapshots.ts';

export type { GroupDeps, GroupSessions } from './group-sessions.ts';

/** Makes the group and its folders if they are missing. Safe to repeat. */
export async function createGroup({ store, config, clock }: GroupDeps, name: string): Promise<boolean> {
  const group = nameOf(name);
  // Folders first, so that every group in the store has them.
  prepareFolders(config, group);
  return store.groups.create(group, clock());
}

/** Throws NOT_FOUND when there is no such group. */
export async function openGroup(deps: GroupDeps, name: string): Promise<GroupSessions> {
  const { store, config, clock } = deps;
  const group = nameOf(name);
  const pointer = () => pointerOf(deps, group);
  await pointer();
  return {
    name: group,
    folders: groupFolders(config, group),
    pointer,
    current: async () => (await pointer()).session,
    async activate(session, { agent = groupAgent, epoch, resumeAt } = {}) {
      const to = { agent, session: sessionId(session), resumeAt };
      const outcome = await store.groups.setPointer(group, to, { epoch, at: clock() });
      if (outcome === 'foreign')
        throw new HoldfastError('CONFLICT', `The session ${session} does not belong to the group ${group}`);
      if (outcome === 'unknown') await pointer();
      return outcome === 'set';
    },
    async leave() {
      await leaveFor(deps, group, await pointer(), undefined, (active) =>
        store.groups.leaveSession(group, active, { at: clock() }),
      );
    },
    async bookmark(given) {
      const now = await pointer();
      const active = activeOf(now);
      if (active === undefined) return undefined;
      const leaving = await leavingAs(deps, active, now, bookmarkName(await deps.clean(given)));
      return store.groups.addBookmark(group, leaving, clock());
    },
    bookmarks: () => store.groups.bookmarks(group),
    async switchTo(id) {
      const target = await targetOf(deps, group, id);
      if (!(await store.groups.returnTo(group, target, activeOf(await pointer()), { at: clock() }))) throw changed();
      return target.session;
    },
    async clear(given) {
      if (given !== undefined) await deps.takeIn?.(group);
      const left = await leaveFor(deps, group, await pointer(), given, (active, leaving) =>
        store.groups.leaveSession(group, active, { leaving, at: clock() }),
      );
      await deps.close?.(group);
      return left;
    },
    resume: (target, saveCurrentAs) => resume(deps, group, target, saveCurrentAs),
    search: (query, limit = 10) => search(deps, group, query, limit),
    snapshot: (tasks = []) => writeSnapshots(deps, group, tasks),
    reportLost: async (session, said, options = {}) =>
      handleLoss(deps, group, await pointer(), { session, said, epoch: options.epoch }),
    prepare: () => prepareFolders(config, group),
  };
}

/** Read each time: other processes change it too. */
async function pointerOf({ store }: GroupDeps, group: string): Promise<Pointer> {
  const found = await store.groups.pointer(group);
  if (found !== undefined) return found;
  throw new HoldfastError('NOT_FOUND', `There is no group ${group}`, {
    hint: `Make it with: holdfast groups create ${group}`,
  });
}

const activeOf = ({ session, agent }: Pointer): SessionKey | undefined =>
  session === undefined || agent === undefined ? undefined : { session, agent };

/** A session begins with its first entry; without entries, when it became active. */
async function leavingAs(
  { store, clock }: GroupDeps,
  active: SessionKey,
  { since }: Pointer,
  name: string,
): Promise<Leaving> {
  const known = (await store.sessions.find(active.session)).find(
    ({ id, agent }) => id === active.session && agent === active.agent,
  );
  return { ...active, name, createdAt: Date.parse(known?.startedAt ?? since ?? '') || clock() };
}

/** Archives the active session if it gets a name, then calls `act`, which changes pointer and bookmark in one transaction. */
async function leaveFor(
  deps: GroupDeps,
  group: string,
  before: Pointer,
  given: string | undefined,
  act: (active: SessionKey | undefined, leaving: Leaving | undefined) => Promise<boolean>,
): Promise<Cleared> {
  const active = activeOf(before);
  const name = given === undefined ? undefined : bookmarkName(await deps.clean(given));
  if (active === undefined || name === undefined) {
    if (!(await act(active, undefined))) throw changed();
    return { session: active?.session };
  }
  const folder = groupFolders(deps.config, group).conversations;
  const archive = await archiveSession(deps, { ...active, name, folder });
  if (!(await act(active, await leavingAs(deps, active, before, name)))) throw changed();
  return { session: active.session, archive, bookmark: await bookmarkOf(deps, group, active) };
}

const bookmarkOf = async ({ store }: GroupDeps, group: string, key: SessionKey): Promise<Bookmark | undefined> =>
  (await store.groups.bookmarks(group)).find(({ session, agent }) => session === key.session && agent === key.agent);

async function targetOf({ store }: GroupDeps, group: string, target: number | string): Promise<SessionKey> {
  if (typeof target === 'number') {
    const found = await store.groups.bookmark(group, target);
    if (found !== undefined) return { session: found.session, agent: found.agent };
  } else {
    const key = { session: target, agent: groupAgent as AgentName };
    if ((await store.groups.of(key)) === group) return key;
  }
  // The same error whether the session does not exist or belongs to another group, so that it reveals nothing.
  throw new HoldfastError('NOT_FOUND', `This group has no earlier session ${JSON.stringify(target)}`, {
    hint: `Its earlier sessions are listed by list_sessions, or with: holdfast groups history ${group}`,
  });
}

async function resume(
  deps: GroupDeps,
  group: string,
  target: number | string,
  saveCurrentAs: string | undefined,
): Promise<Resumed> {
  const { store, clock } = deps;
  if (saveCurrentAs !== undefined) bookmarkName(await deps.clean(saveCurrentAs));
  await deps.takeIn?.(group);
  const before = await pointerOf(deps, group);
  const key = await targetOf(deps, group, target);
  if (key.session === before.session) throw new HoldfastError('CONFLICT', 'This session is the active one already');
  if ((await deps.ready(group, key)) === 'unknown')
    throw new HoldfastError(
      'NOT_FOUND',
      `The transcript of session ${key.session} is gone, and the vault has no copy`,
      {
        hint: 'What was said can still be found: search_sessions',
      },
    );
  const left = await leaveFor(deps, group, before, saveCurrentAs, (active, leaving) =>
    store.groups.returnTo(group, key, active, { leaving, at: clock() }),
  );
  await deps.close?.(group);
  return { session: key.session, left };
}

async function search(deps: GroupDeps, group: string, query: string, limit: number): Promise<readonly GroupHit[]> {
  const { store } = deps;
  await deps.takeIn?.(group);
  const found = await deps.search(group, query, limit);
  const history = await store.groups.bookmarks(group);
  const now = await pointerOf(deps, group);
  const hits: GroupHit[] = [];
  for (const { agent, session, title, at, snippet } of found) {
    if ((await store.groups.of({ agent, session })) !== group) continue;
    const mark = history.find((one) => one.session === session && one.agent === agent);
    hits.push({ id: mark?.id, session, name: mark?.name ?? title, at, snippet, current: now.session === session });
  }
  return hits;
}

function nameOf(name: string): string {
  const parsed = GroupName.safeParse(name);
  if (parsed.success) return parsed.data;
  throw new HoldfastError('BAD_INPUT', `${JSON.stringify(name)} cannot be the name of a group`, {
    hint: `It ${parsed.error.issues[0]?.message}.`,
  });
}

function bookmarkName(name: string): string {
  const text = name.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (text !== '' && text.length <= 200) return text;
  throw new HoldfastError('BAD_INPUT', text === '' ? 'The name is empty' : 'The name is longer than 200 characters');
}

/** Checked strictly: the id becomes a part of paths and commands. */
function sessionId(session: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(session) && path.basename(session) === session) return session;
  throw new HoldfastError('BAD_INPUT', `${JSON.stringify(session)} is not the id of a session`);
}

const changed = (): HoldfastError =>
  new HoldfastError('CONFLICT', 'Another session became the active one in the meantime; nothing was changed', {
    hint: 'Try again.',
  });
