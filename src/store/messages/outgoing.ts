// Messages to a group's people, and what people have seen of them.
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { MessagesPort } from './port.ts';
import { noRetriesSql, type OutgoingRow, telling, toOutgoing } from './rows.ts';

export function outgoingMessages(
  connection: Connection,
): Pick<
  MessagesPort,
  'putOut' | 'outgoingSince' | 'outgoing' | 'lastOutgoing' | 'seenInChat' | 'noteSeen' | 'dropOld'
> {
  const { read } = connection;
  const write = overwriting(connection);
  const tell = telling(connection);
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
    async outgoingSince(group, since) {
      return read(() => outSince.get(group, since) as { count: number; characters: number });
    },
    async outgoing(group, after, limit) {
      return read(() => outAfter.all(group, after, limit).map(toOutgoing));
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
