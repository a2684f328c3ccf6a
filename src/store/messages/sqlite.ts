// The port of messages: incoming and outgoing.
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { MessagesPort } from './port.ts';
import {
  type IncomingRow,
  mostAttempts,
  noRetriesSql,
  type OutgoingRow,
  telling,
  toIncoming,
  toOutgoing,
  waitingSql,
} from './rows.ts';

export function messagesPort(connection: Connection): MessagesPort {
  const { read } = connection;
  const write = overwriting(connection);
  const tell = telling(connection);
  const isGroup = connection.statement<[string]>('SELECT 1 FROM groups WHERE name = ?');
  const add = connection.statement<unknown[], IncomingRow>(
    `INSERT INTO incoming (group_name, text, sender, arrived_at, state) VALUES (?, ?, ?, ?, 'waiting') RETURNING *`,
  );
  const revive = connection.statement(
    `UPDATE incoming SET state = 'waiting' WHERE group_name = ? AND state = 'given-up' AND attempts < ${mostAttempts}`,
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
  const answer = connection.statement(
    "UPDATE incoming SET state = 'answered', text = '', run = NULL WHERE id = ? AND run = ? AND state = 'handed'",
  );
  const setOutput = connection.statement("UPDATE incoming SET output = ? WHERE run = ? AND state = 'handed'");
  const runHasOutput = connection.statement('UPDATE host_runs SET output = 1 WHERE id = ? AND output = 0');
  const goOnAt = connection.statement(
    'UPDATE groups SET resume_at = @at WHERE name = @group AND epoch = @epoch AND session = @session',
  );
  const outAfter = connection.statement<[string, number, number], OutgoingRow>(
    'SELECT * FROM outgoing WHERE group_name = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const outSince = connection.statement<[string, number], { count: number; characters: number }>(
    'SELECT count(*) AS count, coalesce(sum(length(text)), 0) AS characters FROM outgoing WHERE group_name = ? AND at >= ?',
  );
  const lastOut = connection.statement<[], number>(
    "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outgoing'), 0)",
  );
  const seenInChat = connection
    .statement<[string], number | null>('SELECT chat_seen FROM groups WHERE name = ?')
    .pluck();
  const noteSeen = connection.statement('UPDATE groups SET chat_seen = max(coalesce(chat_seen, 0), ?) WHERE name = ?');
  const noRetries = connection.statement(noRetriesSql);
  const drops = [
    'DELETE FROM outgoing WHERE at < ?',
    "DELETE FROM incoming WHERE state = 'answered' AND arrived_at < ?",
    'DELETE FROM host_runs WHERE ended_at < ?',
  ].map((sql) => connection.statement<[number]>(sql));

  return {
    async add(group, { text, from }, at) {
      return write(() => {
        if (isGroup.get(group) === undefined) return undefined;
        revive.run(group);
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
    async putOut({ group, kind, text, answers = [], run, task, session, position }, at) {
      return write(() => {
        if (position !== undefined) goOnAt.run({ group, session, ...position });
        if (run !== undefined) {
          for (const id of answers) answer.run(id, run);
          // An answer ends its turn. Messages that the run still holds
          // belong to the next turn, which has no output yet.
          setOutput.run(kind === 'answer' ? 0 : 1, run);
          runHasOutput.run(run);
          noRetries.run(group);
        }
        return tell(group, kind, text, at, { answers, task, session });
      });
    },
    async outgoing(group, after, limit) {
      return read(() => outAfter.all(group, after, limit).map(toOutgoing));
    },
    async outgoingSince(group, since) {
      return read(() => outSince.get(group, since) as { count: number; characters: number });
    },
    async lastOutgoing() {
      return read(() => lastOut.pluck().get() as number);
    },
    async seenInChat(group) {
      return read(() => seenInChat.get(group)) ?? undefined;
    },
    async noteSeen(group, id) {
      write(() => noteSeen.run(id, group));
    },
    async dropOld(before) {
      return write(() => drops.reduce((sum, drop) => sum + drop.run(before).changes, 0));
    },
  };
}
