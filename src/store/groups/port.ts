// Groups: the active session of each, its bookmarks, and which sessions belong to it. Nothing of this is held in memory: every call reads what is stored.
import type { Bookmark, Group, Pointer } from '../../schema/group.ts';
import type { SessionKey } from '../sessions/port.ts';

/** A session that is left, and what it is called from now on. */
export interface Leaving extends SessionKey {
  readonly name: string;
  /** When it began. */
  readonly createdAt: number;
}

/**
 * `stale`: the process began before the last clear or resume. `foreign`: the session is another group's, or the person's own.
 * `unknown`: there is no such group.
 */
export type PointerOutcome = 'set' | 'stale' | 'foreign' | 'unknown';

/** Groups and their sessions. */
export interface GroupsPort {
  /** By name. */
  list(): Promise<readonly Group[]>;
  get(name: string): Promise<Group | undefined>;
  /** False when there is one of the name already, which stays as it is. */
  create(name: string, at: number): Promise<boolean>;
  /**
   * Takes away the group, its pointer and bookmarks, and what is known of archives in its folder; its sessions are no group's from then on.
   * False when there is none.
   */
  remove(name: string, archives?: string): Promise<boolean>;
  /**
   * Makes a session the active one. With an epoch, only if that is still the group's: so a process that is told to close cannot undo
   * what made it close. Without one, it is a person's doing, and begins a new epoch. A session that is known already, and not as
   * this group's, is never taken.
   */
  setPointer(
    group: string,
    to: SessionKey & { readonly resumeAt?: string | undefined },
    options: { readonly epoch?: number | undefined; readonly at: number },
  ): Promise<PointerOutcome>;
  /**
   * Leaves the active session: with a name it becomes a bookmark, without one it is only not active any more. A new epoch begins.
   * False, and nothing is changed, when `expected` is not the active session.
   */
  leaveSession(
    group: string,
    expected: SessionKey | undefined,
    as: { readonly leaving?: Leaving | undefined; readonly at: number },
  ): Promise<boolean>;
  /** Notes the active session under a name; it stays active. One that has a bookmark already gets the new name. */
  addBookmark(group: string, leaving: Leaving, at: number): Promise<Bookmark>;
  /**
   * Makes an earlier session of the group the active one, takes its bookmark away, and leaves the active one as `leaveSession` does.
   * A new epoch begins. False, and nothing is changed, when the target is not the group's any more, or `expected` not the active one.
   */
  returnTo(
    group: string,
    target: SessionKey,
    expected: SessionKey | undefined,
    as: { readonly leaving?: Leaving | undefined; readonly at: number },
  ): Promise<boolean>;
  pointer(group: string): Promise<Pointer | undefined>;
  /** Newest first. */
  bookmarks(group: string): Promise<readonly Bookmark[]>;
  /** Only if it is this group's. */
  bookmark(group: string, id: number): Promise<Bookmark | undefined>;
  of(session: SessionKey): Promise<string | undefined>;
}
