// Imports groups of an export.
import type { Connection } from '../sqlite/connection.ts';
import type { Is, Takes } from './takes.ts';

export function groupRows(connection: Connection): Takes<'group'> {
  const hasGroup = connection.statement('SELECT 1 FROM groups WHERE name = @name');
  const nextEpoch = connection.statement<[], number>('UPDATE group_epoch SET last = last + 1 RETURNING last').pluck();
  const isOfGroup = connection.statement(
    'SELECT 1 FROM group_sessions WHERE agent = @agent AND session = @session AND group_name = @name',
  );
  const addGroup = connection.statement(
    `INSERT INTO groups (name, created_at, epoch, agent, session, resume_at, since)
     VALUES (@name, @createdAt, @epoch, @agent, @session, @resumeAt, @since)`,
  );

  return {
    group: (row) => {
      const group = row as Is<'group'>;
      if (hasGroup.get(group) !== undefined) return 0;
      const pointer =
        isOfGroup.get(group) === undefined ? { agent: null, session: null, resumeAt: null, since: null } : {};
      return addGroup.run({ ...group, ...pointer, epoch: nextEpoch.get() }).changes;
    },
  };
}
