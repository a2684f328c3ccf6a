// The port of groups. Each change is one transaction that checks the epoch.

import type { AgentName } from '../../schema/agent-name.ts';
import { type Bookmark, type Group, type Pointer, removedGroup } from '../../schema/group.ts';
import { toMoment } from '../../schema/time.ts';
import type { SessionKey } from '../sessions/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import { groupSessions } from './membership.ts';
import type { GroupsPort, Leaving } from './port.ts';

interface GroupRow {
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

interface BookmarkRow {
  readonly id: number;
  readonly agent: AgentName;
  readonly session: string;
  readonly name: string;
  readonly created_at: number;
  readonly archived_at: number;
}

const toPointer = ({ epoch, agent, session, resume_at, since }: GroupRow): Pointer => ({
  epoch,
  ...(session === null || agent === null ? {} : { session, agent, since: toMoment(since ?? 0) }),
  ...(resume_at === null ? {} : { resumeAt: resume_at }),
});

const toGroup = (row: GroupRow): Group => ({
  name: row.name,
  createdAt: toMoment(row.created_at),
  pointer: toPointer(row),
  bookmarks: row.bookmarks,
  sessions: row.sessions,
});

const toBookmark = ({ created_at, archived_at, ...row }: BookmarkRow): Bookmark => ({
  ...row,
  createdAt: toMoment(created_at),
  archivedAt: toMoment(archived_at),
});

export function groupsPort(connection: Connection): GroupsPort {
  const { read } = connection;
  const write = overwriting(connection);
  const columns = `g.*, (SELECT count(*) FROM bookmarks b WHERE b.group_name = g.name) AS bookmarks,
    (SELECT count(*) FROM group_sessions m WHERE m.group_name = g.name) AS sessions`;
  const all = connection.statement<[], GroupRow>(`SELECT ${columns} FROM groups g ORDER BY g.name`);
  const one = connection.statement<[string], GroupRow>(`SELECT ${columns} FROM groups g WHERE g.name = ?`);
  const add = connection.statement(
    'INSERT INTO groups (name, created_at, epoch) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const owned = ['bookmarks', 'incoming', 'outgoing', 'host_runs', 'group_retries', 'tasks'];
  const removals = ['groups WHERE name', ...owned.map((table) => `${table} WHERE group_name`)].map((of) =>
    connection.statement(`DELETE FROM ${of} = ?`),
  );
  // The agent's words must not become the person's own when the group is removed.
  const setApart = connection.statement('UPDATE group_sessions SET group_name = ? WHERE group_name = ?');
  const dropArchives = connection.statement('DELETE FROM archives WHERE folder = ?');
  // One counter for all groups, so that a process of a removed group cannot act on a new group with the same name.
  const nextEpoch = connection.statement<[], number>('UPDATE group_epoch SET last = last + 1 RETURNING last').pluck();
  const point = connection.statement(
    'UPDATE groups SET agent = @agent, session = @session, resume_at = @resumeAt, since = @since, epoch = @epoch WHERE name = @group',
  );
  const marks = 'id, agent, session, name, created_at, archived_at';
  const bookmarksOf = connection.statement<[string], BookmarkRow>(
    `SELECT ${marks} FROM bookmarks WHERE group_name = ? ORDER BY archived_at DESC, id DESC`,
  );
  const bookmarkAt = connection.statement<[string, number], BookmarkRow>(
    `SELECT ${marks} FROM bookmarks WHERE group_name = ? AND id = ?`,
  );
  const save = connection.statement<unknown[], BookmarkRow>(
    `INSERT INTO bookmarks (group_name, agent, session, name, created_at, archived_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (group_name, agent, session) DO UPDATE SET name = excluded.name, archived_at = excluded.archived_at
     RETURNING ${marks}`,
  );
  const dropBookmark = connection.statement('DELETE FROM bookmarks WHERE group_name = ? AND agent = ? AND session = ?');
  const membership = groupSessions(connection);

  const isActive = (row: GroupRow, expected: SessionKey | undefined): boolean =>
    expected === undefined ? row.session === null : row.session === expected.session && row.agent === expected.agent;
  const keep = (group: string, { agent, session, name, createdAt }: Leaving, at: number): Bookmark =>
    toBookmark(save.get(group, agent, session, name, createdAt, at) as BookmarkRow);
  const newEpoch = (): number => nextEpoch.get() as number;
  const nothing = { agent: null, session: null, resumeAt: null, since: null };

  return {
    async list() {
      return read(() => all.all().map(toGroup));
    },
    async get(name) {
      const row = read(() => one.get(name));
      return row && toGroup(row);
    },
    async create(name, at) {
      return write(() => one.get(name) === undefined && add.run(name, at, newEpoch()).changes > 0);
    },
    async remove(name, archives) {
      return write(() => {
        if (archives !== undefined) dropArchives.run(archives);
        setApart.run(removedGroup(name), name);
        return removals.map((remove) => remove.run(name).changes)[0] === 1;
      });
    },
    async setPointer(group, { agent, session, resumeAt }, { epoch, at }) {
      return write(() => {
        const row = one.get(group);
        if (row === undefined) return 'unknown';
        if (epoch !== undefined && epoch !== row.epoch) return 'stale';
        if (!membership.claim(group, { agent, session })) return 'foreign';
        const since = row.session === session && row.agent === agent ? row.since : at;
        point.run({ group, agent, session, since, resumeAt: resumeAt ?? null, epoch: epoch ?? newEpoch() });
        return 'set';
      });
    },
    async leaveSession(group, expected, { leaving, at }) {
      return write(() => {
        const row = one.get(group);
        if (row === undefined || !isActive(row, expected)) return false;
        if (leaving !== undefined) keep(group, leaving, at);
        point.run({ group, ...nothing, epoch: newEpoch() });
        return true;
      });
    },
    async addBookmark(group, leaving, at) {
      return write(() => keep(group, leaving, at));
    },
    async returnTo(group, { agent, session }, expected, { leaving, at }) {
      return write(() => {
        const row = one.get(group);
        if (row === undefined || !isActive(row, expected)) return false;
        if (membership.of({ agent, session }) !== group) return false;
        if (leaving !== undefined) keep(group, leaving, at);
        dropBookmark.run(group, agent, session);
        point.run({ group, agent, session, resumeAt: null, since: at, epoch: newEpoch() });
        return true;
      });
    },
    async pointer(group) {
      const row = read(() => one.get(group));
      return row && toPointer(row);
    },
    async bookmarks(group) {
      return read(() => bookmarksOf.all(group).map(toBookmark));
    },
    async bookmark(group, id) {
      const row = read(() => bookmarkAt.get(group, id));
      return row && toBookmark(row);
    },
    async of(key) {
      return read(() => membership.of(key));
    },
  };
}
