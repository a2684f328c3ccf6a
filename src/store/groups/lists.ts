// Reads groups, their active sessions, and the group of a session.
import type { Connection } from '../sqlite/connection.ts';
import { groupSessions } from './membership.ts';
import type { GroupsPort } from './port.ts';
import { type GroupRow, groupColumns, groupStatements, toGroup, toPointer } from './rows.ts';

export function groupLists(connection: Connection): Pick<GroupsPort, 'list' | 'get' | 'pointer' | 'of'> {
  const { one } = groupStatements(connection);
  const { read } = connection;
  const all = connection.statement<[], GroupRow>(`SELECT ${groupColumns} FROM groups g ORDER BY g.name`);
  const membership = groupSessions(connection);

  return {
    async list() {
      return read(() => all.all().map(toGroup));
    },
    async get(name) {
      const row = read(() => one.get(name));
      return row && toGroup(row);
    },
    async pointer(group) {
      const row = read(() => one.get(group));
      return row && toPointer(row);
    },
    async of(key) {
      return read(() => membership.of(key));
    },
  };
}
