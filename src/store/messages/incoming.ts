// Messages to groups: they arrive, wait, and are handed to runs.
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { MessagesPort } from './port.ts';
import { type IncomingRow, toIncoming, waitingSql } from './rows.ts';

export function incomingMessages(
  connection: Connection,
): Pick<MessagesPort, 'add' | 'get' | 'waiting' | 'unanswered' | 'hand' | 'release'> {
  const { read } = connection;
  const write = overwriting(connection);
  const isGroup = connection.statement<[string]>('SELECT 1 FROM groups WHERE name = ?');
  const add = connection.statement<unknown[], IncomingRow>(
    `INSERT INTO incoming (group_name, text, sender, arrived_at, state) VALUES (?, ?, ?, ?, 'waiting') RETURNING *`,
  );
  const revive = connection.statement(
    "UPDATE incoming SET state = 'waiting' WHERE group_name = ? AND state = 'given-up' AND attempts < ?",
  );
  const one = connection.statement<[string, number], IncomingRow>(
    'SELECT * FROM incoming WHERE group_name = ? AND id = ?',
  );
  const waiting = connection.statement<[string], IncomingRow>(waitingSql);
  const unanswered = connection.statement<[string], IncomingRow>(
    "SELECT * FROM incoming WHERE group_name = ? AND state IN ('waiting', 'handed', 'given-up') ORDER BY id",
  );
  const hand = connection.statement(
    `UPDATE incoming SET state = 'handed', run = @run, output = 0 WHERE id = @id AND state = 'waiting'
       AND group_name = (SELECT group_name FROM host_runs WHERE id = @run AND task IS NULL AND ended_at IS NULL)`,
  );
  const release = connection.statement(
    "UPDATE incoming SET state = 'waiting', run = NULL WHERE id = ? AND run = ? AND state = 'handed'",
  );

  return {
    async add(group, { text, from, mostAttempts = 0 }, at) {
      return write(() => {
        if (isGroup.get(group) === undefined) return undefined;
        revive.run(group, mostAttempts);
        return toIncoming(add.get(group, text, from ?? null, at) as IncomingRow);
      });
    },
    async get(group, id) {
      const row = read(() => one.get(group, id));
      return row && toIncoming(row);
    },
    async waiting(group) {
      return read(() => waiting.all(group).map(toIncoming));
    },
    async unanswered(group) {
      return read(() => unanswered.all(group).map(toIncoming));
    },
    async hand(run, ids) {
      return write(() => ids.filter((id) => hand.run({ run, id }).changes > 0));
    },
    async release(run, ids) {
      write(() => {
        for (const id of ids) release.run(id, run);
      });
    },
  };
}
