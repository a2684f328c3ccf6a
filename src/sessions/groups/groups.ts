// Groups: each has one active session at a time, and earlier ones under names. What is opened here is bound to one group, and there
// is no way from it to another: whoever gives it to an agent gives that agent its identity.
import path from 'node:path';
import type { Loss } from '../../agents/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import type { Config } from '../../config/config.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { type Bookmark, GroupName, type Pointer } from '../../schema/group.ts';
import type { Leaving } from '../../store/groups/port.ts';
import type { SessionKey } from '../../store/sessions/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Archived, archiveSession } from '../archives/archives.ts';
import { groupAgent, groupFolders, prepareFolders } from './group-folders.ts';
import { type Snapshots, type Task, writeSnapshots } from './snapshots.ts';

export interface GroupHit {
  /** The bookmark that leads back to it, where it has one; the session's own id does so too. */
  readonly id?: number | undefined;
  readonly session: string;
  readonly name: string;
  readonly at: string;
  readonly snippet: string;
  /** It is the one that is active now. */
  readonly current: boolean;
}

export interface FoundSession extends SessionKey {
  readonly title: string;
  readonly at: string;
  readonly snippet: string;
}

export interface GroupDeps {
  readonly store: Pick<Store, 'archives' | 'entries' | 'groups' | 'sessions'>;
  readonly config: Config;
  readonly clock: () => number;
  /** Tells the group's process to close. What it returns is waited for. */
  readonly close?: ((group: string) => void | Promise<void>) | undefined;
  /** Takes in what the group's agent has written up to now. */
  readonly takeIn?: ((group: string) => Promise<void>) | undefined;
  /** Whether the agent can go on with a session: its transcript is there, or was put back. */
  readonly ready: (group: string, session: SessionKey) => Promise<'there' | 'restored' | 'unknown'>;
  /** A name without secrets and private passages. */
  readonly clean: (name: string) => Promise<string>;
  /** Sessions of the group by what was said in them, best first. */
  readonly search: (group: string, query: string, limit: number) => Promise<readonly FoundSession[]>;
}

export interface Cleared {
  /** The session that was active. */
  readonly session?: string | undefined;
  readonly bookmark?: Bookmark | undefined;
  readonly archive?: Archived | undefined;
}

export interface Resumed {
  readonly session: string;
  /** What became of the session that was active. */
  readonly left: Cleared;
}

/** Made where it is missing, with its folders. Safe to repeat. */
export async function createGroup({ store, config, clock }: GroupDeps, name: string): Promise<boolean> {
  const group = nameOf(name);
  // Folders first: a group that is known has them.
  prepareFolders(config, group);
  return store.groups.create(group, clock());
}

export type OpenGroup = Awaited<ReturnType<typeof openGroup>>;

/** Throws NOT_FOUND when there is no such group. */
export async function openGroup(deps: GroupDeps, name: string) {
  const { store, config, clock } = deps;
  const group = nameOf(name);
  const folders = groupFolders(config, group);
  await pointer();

  /** Read anew each time: other processes change it too. */
  async function pointer(): Promise<Pointer> {
    const found = await store.groups.pointer(group);
    if (found !== undefined) return found;
    throw new HoldfastError('NOT_FOUND', `There is no group ${group}`, {
      hint: `Make it with: holdfast groups create ${group}`,
    });
  }

  const activeOf = ({ session, agent }: Pointer): SessionKey | undefined =>
    session === undefined || agent === undefined ? undefined : { session, agent };

  /** When the session began: by its entries, else by when it became active. */
  async function leavingAs(active: SessionKey, { since }: Pointer, given: string): Promise<Leaving> {
    const known = (await store.sessions.find(active.session)).find(
      ({ id, agent }) => id === active.session && agent === active.agent,
    );
    return { ...active, name: given, createdAt: Date.parse(known?.startedAt ?? since ?? '') || clock() };
  }

  /** What was said, as Markdown in the group's folder; nothing where nobody said anything. */
  async function writeArchive(active: SessionKey, given: string): Promise<Archived> {
    return archiveSession(deps, { ...active, name: given, folder: folders.conversations });
  }

  const bookmarkOf = async (key: SessionKey): Promise<Bookmark | undefined> =>
    (await store.groups.bookmarks(group)).find(({ session, agent }) => session === key.session && agent === key.agent);

  /** Archive, then what the caller does in one transaction with the bookmark. */
  async function leave(
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
    const archive = await writeArchive(active, name);
    if (!(await act(active, await leavingAs(active, before, name)))) throw changed();
    return { session: active.session, archive, bookmark: await bookmarkOf(active) };
  }

  async function targetOf(target: number | string): Promise<SessionKey> {
    if (typeof target === 'number') {
      const found = await store.groups.bookmark(group, target);
      if (found !== undefined) return { session: found.session, agent: found.agent };
    } else {
      const key = { session: target, agent: groupAgent as AgentName };
      if ((await store.groups.of(key)) === group) return key;
    }
    // The same words for what does not exist and for what is another group's.
    throw new HoldfastError('NOT_FOUND', `This group has no earlier session ${JSON.stringify(target)}`, {
      hint: `Its earlier sessions are listed by list_sessions, or with: holdfast groups history ${group}`,
    });
  }

  return {
    name: group,
    folders,
    /** Everything that a process is started with: the session to go on with, where in it, and the epoch it must show later. */
    pointer,
    /** The active session. */
    async get(): Promise<string | undefined> {
      return (await pointer()).session;
    },
    /**
     * With the epoch that a process was started under: false when that is over, and nothing is changed. Without one it is a person who
     * says so. Throws CONFLICT for a session that is known already, and not as this group's.
     */
    async set(
      session: string,
      options: {
        agent?: AgentName | undefined;
        epoch?: number | undefined;
        resumeAt?: string | undefined;
      } = {},
    ): Promise<boolean> {
      const { agent = groupAgent, epoch, resumeAt } = options;
      const to = { agent, session: sessionId(session), resumeAt };
      const outcome = await store.groups.setPointer(group, to, { epoch, at: clock() });
      if (outcome === 'foreign')
        throw new HoldfastError('CONFLICT', `The session ${session} does not belong to the group ${group}`);
      if (outcome === 'unknown') await pointer();
      return outcome === 'set';
    },
    /** Makes no session the active one. */
    async delete(): Promise<void> {
      await leave(await pointer(), undefined, (active) => store.groups.leaveSession(group, active, { at: clock() }));
    },
    /** Bookmarks the active session under a name; it stays active. Undefined when there is none. */
    async archive(name: string): Promise<Bookmark | undefined> {
      const now = await pointer();
      const active = activeOf(now);
      if (active === undefined) return undefined;
      return store.groups.addBookmark(
        group,
        await leavingAs(active, now, bookmarkName(await deps.clean(name))),
        clock(),
      );
    },
    /** Makes a bookmark the active session again, whatever was active. */
    async restore(id: number): Promise<string> {
      const target = await targetOf(id);
      if (!(await store.groups.returnTo(group, target, activeOf(await pointer()), { at: clock() }))) throw changed();
      return target.session;
    },
    /** Newest first. */
    getHistory: (): Promise<readonly Bookmark[]> => store.groups.bookmarks(group),

    /** Archive, bookmark, pointer removed, process told to close: in this order. Without a name, only the last two. */
    async clear(name?: string): Promise<Cleared> {
      if (name !== undefined) await deps.takeIn?.(group);
      const left = await leave(await pointer(), name, (active, leaving) =>
        store.groups.leaveSession(group, active, { leaving, at: clock() }),
      );
      await deps.close?.(group);
      return left;
    },
    /** Goes on with an earlier session: by the id of its bookmark, or by its own. All checks come before all deeds. */
    async resume(target: number | string, saveCurrentAs?: string): Promise<Resumed> {
      if (saveCurrentAs !== undefined) bookmarkName(await deps.clean(saveCurrentAs));
      await deps.takeIn?.(group);
      const before = await pointer();
      const key = await targetOf(target);
      if (key.session === before.session) throw new HoldfastError('CONFLICT', 'This session is the active one already');
      if ((await deps.ready(group, key)) === 'unknown')
        throw new HoldfastError(
          'NOT_FOUND',
          `The transcript of session ${key.session} is gone, and the vault has no copy`,
          {
            hint: 'What was said can still be found: search_sessions',
          },
        );
      const left = await leave(before, saveCurrentAs, (active, leaving) =>
        store.groups.returnTo(group, key, active, { leaving, at: clock() }),
      );
      await deps.close?.(group);
      return { session: key.session, left };
    },
    /** By what was said, in this group alone. Each hit can be resumed. */
    async search(query: string, limit = 10): Promise<readonly GroupHit[]> {
      await deps.takeIn?.(group);
      const [found, history, now] = [
        await deps.search(group, query, limit),
        await store.groups.bookmarks(group),
        await pointer(),
      ];
      const hits: GroupHit[] = [];
      for (const { agent, session, title, at, snippet } of found) {
        if ((await store.groups.of({ agent, session })) !== group) continue;
        const mark = history.find((one) => one.session === session && one.agent === agent);
        hits.push({ id: mark?.id, session, name: mark?.name ?? title, at, snippet, current: now.session === session });
      }
      return hits;
    },
    /** Before each start of its process: what it may know without the database. */
    async snapshot(tasks: readonly Task[] = []): Promise<Snapshots> {
      return writeSnapshots(deps, group, tasks);
    },
    /**
     * The agent's process could not go on with its session. `again`: it can be tried once more, from the vault or without the place in it;
     * `fresh`: the pointer is gone, and the next start begins anew; `none`: this is about something else, or over already.
     */
    async reportLost(
      session: string,
      said: Loss | { readonly message: string },
      options: { epoch?: number | undefined } = {},
    ): Promise<{ next: 'again' | 'fresh' | 'none'; loss?: Loss | undefined }> {
      const now = await pointer();
      const active = activeOf(now);
      const loss = typeof said === 'string' ? said : lossIn(now.agent ?? groupAgent, said.message);
      if (loss === undefined) return { next: 'none' };
      if (active?.session !== session || (options.epoch ?? now.epoch) !== now.epoch) return { next: 'none', loss };
      if (loss === 'position' && now.resumeAt !== undefined) {
        await store.groups.setPointer(group, active, { epoch: now.epoch, at: clock() });
        return { next: 'again', loss };
      }
      // What is there, and still not found by the agent, is not found the next time either.
      if (loss === 'missing' && (await deps.ready(group, active)) === 'restored') return { next: 'again', loss };
      return (await store.groups.leaveSession(group, active, { at: clock() }))
        ? { next: 'fresh', loss }
        : { next: 'none', loss };
    },
    /** Makes what is missing of its folders. */
    prepare: () => prepareFolders(config, group),
  };
}

const lossIn = (agent: AgentName, message: string): Loss | undefined => agentNamed(agent)?.home?.loss(message);

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

/** It becomes a part of paths and commands. */
function sessionId(session: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(session) && path.basename(session) === session) return session;
  throw new HoldfastError('BAD_INPUT', `${JSON.stringify(session)} is not the id of a session`);
}

const changed = (): HoldfastError =>
  new HoldfastError('CONFLICT', 'Another session has become the active one meanwhile; nothing was changed', {
    hint: 'Try again.',
  });
