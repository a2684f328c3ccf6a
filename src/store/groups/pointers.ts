// The active session of a group. Each change is one transaction that checks the epoch.
import type { SessionKey } from '../sessions/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import { groupSessions } from './membership.ts';
import type { GroupsPort } from './port.ts';
import type { GroupRow } from './rows.ts';
import { groupStatements } from './rows.ts';

export function groupPointers(connection: Connection): Pick<GroupsPort, 'setPointer' | 'leaveSession' | 'returnTo'> {
  const { keep, newEpoch, one } = groupStatements(connection);
  const write = overwriting(connection);
  const point = connection.statement(
    'UPDATE groups SET agent = @agent, session = @session, resume_at = @resumeAt, since = @since, epoch = @epoch WHERE name = @group',
  );
  const dropBookmark = connection.statement('DELETE FROM bookmarks WHERE group_name = ? AND agent = ? AND session = ?');
  const membership = groupSessions(connection);
  const isActive = (row: GroupRow, expected: SessionKey | undefined): boolean =>
    expected === undefined ? row.session === null : row.session === expected.session && row.agent === expected.agent;
  const nothing = { agent: null, session: null, resumeAt: null, since: null };

  return {
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
  };
}
