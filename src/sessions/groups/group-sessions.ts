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
  /** The session's bookmark, if it has one. The session's own id can be resumed too. */
  readonly id?: number | undefined;
  readonly session: string;
  readonly name: string;
  readonly at: string;
  readonly snippet: string;
  /** This session is active now. */
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
  /** Tells the group's process to close. The caller waits for the result. */
  readonly close?: ((group: string) => void | Promise<void>) | undefined;
  /** Imports what the group's agent has written up to now. */
  readonly takeIn?: ((group: string) => Promise<void>) | undefined;
  /** Whether the agent can resume a session: its transcript is there, or was restored from the vault. */
  readonly ready: (group: string, session: SessionKey) => Promise<'there' | 'restored' | 'unknown'>;
  /** Removes secrets and private passages from a name. */
  readonly clean: (name: string) => Promise<string>;
  /** Finds sessions of the group by what was said in them, best first. */
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
  /** What a process starts with: the session, the position in it, and the epoch that the process must present later. */
  pointer(): Promise<Pointer>;
  /** The active session. */
  current(): Promise<string | undefined>;
  /**
   * Makes a session the active one. A process passes the epoch it was started under; if that epoch is over, nothing changes and the
   * result is false. Calls for a person pass no epoch. Throws CONFLICT for a known session that is not this group's.
   */
  activate(session: string, options?: Activation): Promise<boolean>;
  /** Leaves the active session, so that none is active. */
  leave(): Promise<void>;
  /** Bookmarks the active session under a name; it stays active. Undefined if no session is active. */
  bookmark(name: string): Promise<Bookmark | undefined>;
  /** Newest first. */
  bookmarks(): Promise<readonly Bookmark[]>;
  /** Makes the session of a bookmark the active one again, whichever session is active. */
  switchTo(bookmark: number): Promise<string>;
  /** Archives, bookmarks, leaves the session, and tells the process to close: in this order. Without a name, only the last two. */
  clear(name?: string): Promise<Cleared>;
  /** Resumes an earlier session by the id of its bookmark or by its own id. Checks everything before it changes anything. */
  resume(target: number | string, saveCurrentAs?: string): Promise<Resumed>;
  /** Finds sessions of this group only, by what was said in them. Each hit can be resumed. */
  search(query: string, limit?: number): Promise<readonly GroupHit[]>;
  /** Writes the snapshot files for the group's process. Called before each start. */
  snapshot(tasks?: readonly Task[]): Promise<Snapshots>;
  /** Handles that the agent's process could not resume its session. */
  reportLost(
    session: string,
    said: Loss | { readonly message: string },
    options?: { readonly epoch?: number | undefined },
  ): Promise<LossOutcome>;
  /** Makes the group's missing folders. */
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
