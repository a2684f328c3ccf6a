// The sessions of one group: one is active at a time, earlier ones have bookmarks. An opened group is bound to its name and leads to no
// other group, so it is safe to give it to that group's agent.
import type { Loss } from '../../agents/agent.ts';
import type { Config } from '../../config/config.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Bookmark, Pointer } from '../../schema/group.ts';
import type { SessionKey } from '../../store/sessions/port.ts';
import type { Store } from '../../store/store.ts';
import type { Archived } from '../archives/archives.ts';
import type { GroupFolders } from './group-folders.ts';
import type { Snapshots, Task } from './snapshots.ts';

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

export interface GroupSessions {
  readonly name: string;
  readonly folders: GroupFolders;
  /** What a process starts with: the session, how far it has come, and the epoch that the process must show later. */
  pointer(): Promise<Pointer>;
  /** The active session. */
  current(): Promise<string | undefined>;
  /**
   * Makes a session the active one. With the epoch that a process was started under: false if that epoch is over, and nothing changes.
   * Without an epoch, a person asks for it. Throws CONFLICT for a known session that is not this group's.
   */
  activate(session: string, options?: Activation): Promise<boolean>;
  /** Makes no session the active one. */
  leave(): Promise<void>;
  /** Bookmarks the active session under a name; it stays active. Undefined if no session is active. */
  bookmark(name: string): Promise<Bookmark | undefined>;
  /** Newest first. */
  bookmarks(): Promise<readonly Bookmark[]>;
  /** Makes the session of a bookmark the active one again, whatever was active. */
  switchTo(bookmark: number): Promise<string>;
  /** Archives, bookmarks, leaves the session, and tells the process to close: in this order. Without a name, only the last two. */
  clear(name?: string): Promise<Cleared>;
  /** Goes on with an earlier session: by the id of its bookmark, or by its own. All checks come before all changes. */
  resume(target: number | string, saveCurrentAs?: string): Promise<Resumed>;
  /** Finds sessions of this group alone by what was said in them. Each hit can be resumed. */
  search(query: string, limit?: number): Promise<readonly GroupHit[]>;
  /** Writes what its process may know without the database. Called before each start. */
  snapshot(tasks?: readonly Task[]): Promise<Snapshots>;
  /** The agent's process could not go on with its session. */
  reportLost(
    session: string,
    said: Loss | { readonly message: string },
    options?: { readonly epoch?: number | undefined },
  ): Promise<LossOutcome>;
  /** Makes its missing folders. */
  prepare(): GroupFolders;
}

export interface Activation {
  readonly agent?: AgentName | undefined;
  readonly epoch?: number | undefined;
  readonly resumeAt?: string | undefined;
}

export interface LossOutcome {
  /**
   * `again`: the process can try once more, from the vault or without the position. `fresh`: the pointer is gone, and the next start begins
   * a new session. `none`: the loss is about another session, or was handled before.
   */
  readonly next: 'again' | 'fresh' | 'none';
  readonly loss?: Loss | undefined;
}
