// Groups: the active session of each, its bookmarks, and the sessions that belong to it. The port caches nothing: every
// call reads the database.
import type { Bookmark, Group, Pointer } from '../../schema/group.ts';
import type { SessionKey } from '../sessions/port.ts';

/** A session that the group leaves, and its name from now on. */
export interface Leaving extends SessionKey {
  readonly name: string;
  /** When the session began. */
  readonly createdAt: number;
}

/**
 * `stale`: the process began before the last clear or resume. `foreign`: the session belongs to another group or to the
 * person. `unknown`: there is no such group.
 */
export type PointerOutcome = 'set' | 'stale' | 'foreign' | 'unknown';

/** Groups and their sessions. */
export interface GroupsPort {
  /** By name. */
  list(): Promise<readonly Group[]>;
  get(name: string): Promise<Group | undefined>;
  /** False if a group with this name exists; that group stays unchanged. */
  create(name: string, at: number): Promise<boolean>;
  /**
   * Removes the group, its pointer, its bookmarks and the records of archives in its folder. Its sessions then belong
   * to no group, and do not become the person's own. False if there is no such group.
   */
  remove(name: string, archives?: string): Promise<boolean>;
  /**
   * Makes a session the active one. With an epoch, this succeeds only in the group's current epoch, so a process that
   * was told to close cannot undo the change that closed it. Without an epoch, a person made the change, and a new
   * epoch begins. A known session that does not belong to this group is never taken.
   */
  setPointer(
    group: string,
    to: SessionKey & { readonly resumeAt?: string | undefined },
    options: { readonly epoch?: number | undefined; readonly at: number },
  ): Promise<PointerOutcome>;
  /**
   * Leaves the active session and begins a new epoch. With a name, the session becomes a bookmark; without one, it only
   * stops being active. False, with nothing changed, if `expected` is not the active session.
   */
  leaveSession(
    group: string,
    expected: SessionKey | undefined,
    as: { readonly leaving?: Leaving | undefined; readonly at: number },
  ): Promise<boolean>;
  /**
   * Bookmarks the active session under a name; it stays active. An existing bookmark of the session gets the new name.
   */
  addBookmark(group: string, leaving: Leaving, at: number): Promise<Bookmark>;
  /**
   * Makes an earlier session of the group active, removes its bookmark, and leaves the current session as
   * `leaveSession` does. A new epoch begins. False, with nothing changed, if the target no longer belongs to the group
   * or `expected` is not the active session.
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
  /** Undefined if the bookmark belongs to another group. */
  bookmark(group: string, id: number): Promise<Bookmark | undefined>;
  of(session: SessionKey): Promise<string | undefined>;
}
