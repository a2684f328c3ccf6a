// Creates and removes groups.
import { removedGroup } from '../../schema/group.ts';
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { GroupsPort } from './port.ts';
import { groupStatements } from './rows.ts';

export function groupLife(connection: Connection): Pick<GroupsPort, 'create' | 'remove'> {
  const { newEpoch, one } = groupStatements(connection);
  const write = overwriting(connection);
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

  return {
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
  };
}
