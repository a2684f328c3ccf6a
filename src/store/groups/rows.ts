// Groups and bookmarks as rows, and the statements that several parts of the port run.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Bookmark, Group, Pointer } from '../../schema/group.ts';
import { toMoment } from '../../schema/time.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { Leaving } from './port.ts';

export interface GroupRow {
  readonly name: string;
  readonly created_at: number;
  readonly epoch: number;
  readonly agent: AgentName | null;
  readonly session: string | null;
  readonly resume_at: string | null;
  readonly since: number | null;
  readonly bookmarks: number;
  readonly sessions: number;
}

export interface BookmarkRow {
  readonly id: number;
  readonly agent: AgentName;
  readonly session: string;
  readonly name: string;
  readonly created_at: number;
  readonly archived_at: number;
}

export const groupColumns = `g.*, (SELECT count(*) FROM bookmarks b WHERE b.group_name = g.name) AS bookmarks,
  (SELECT count(*) FROM group_sessions m WHERE m.group_name = g.name) AS sessions`;
export const bookmarkColumns = 'id, agent, session, name, created_at, archived_at';

/** What several parts of the port need. */
export function groupStatements(connection: Connection) {
  const one = connection.statement<[string], GroupRow>(`SELECT ${groupColumns} FROM groups g WHERE g.name = ?`);
  // One counter for all groups, so that a process of a removed group cannot act on a new group with the same name.
  const nextEpoch = connection.statement<[], number>('UPDATE group_epoch SET last = last + 1 RETURNING last').pluck();
  const save = connection.statement<unknown[], BookmarkRow>(
    `INSERT INTO bookmarks (group_name, agent, session, name, created_at, archived_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (group_name, agent, session) DO UPDATE SET name = excluded.name, archived_at = excluded.archived_at
     RETURNING ${bookmarkColumns}`,
  );
  const keep = (group: string, { agent, session, name, createdAt }: Leaving, at: number): Bookmark =>
    toBookmark(save.get(group, agent, session, name, createdAt, at) as BookmarkRow);
  const newEpoch = (): number => nextEpoch.get() as number;

  return { one, newEpoch, keep };
}

export const toPointer = ({ epoch, agent, session, resume_at, since }: GroupRow): Pointer => ({
  epoch,
  ...(session === null || agent === null ? {} : { session, agent, since: toMoment(since ?? 0) }),
  ...(resume_at === null ? {} : { resumeAt: resume_at }),
});

export const toGroup = (row: GroupRow): Group => ({
  name: row.name,
  createdAt: toMoment(row.created_at),
  pointer: toPointer(row),
  bookmarks: row.bookmarks,
  sessions: row.sessions,
});

export const toBookmark = ({ created_at, archived_at, ...row }: BookmarkRow): Bookmark => ({
  ...row,
  createdAt: toMoment(created_at),
  archivedAt: toMoment(archived_at),
});
