// Messages and runs of the host: each change is one transaction, and what a run was handed ends in the one that ends the run.
import type { Database } from 'better-sqlite3';
import type { IncomingMessage, MessageState, OutgoingKind, OutgoingMessage } from '../../schema/group-message.ts';
import { toMoment } from '../../schema/time.ts';
import type { HostRun, HostStore, RunEnd, RunEnded } from '../host.ts';
import { emptyLog, overwriting } from './overwriting.ts';
import { type TaskEnd, taskRows } from './tasks.ts';

type Run = <T>(work: () => T) => T;

interface IncomingRow {
  readonly id: number;
  readonly group_name: string;
  readonly text: string;
  readonly sender: string | null;
  readonly arrived_at: number;
  readonly state: MessageState;
  readonly output: 0 | 1;
  readonly attempts: number;
}

interface OutgoingRow {
  readonly id: number;
  readonly group_name: string;
  readonly kind: OutgoingKind;
  readonly text: string;
  readonly answers: string;
  readonly task: number | null;
  readonly at: number;
}

interface RunRow {
  readonly id: number;
  readonly group_name: string;
  readonly task: number | null;
  readonly epoch: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly pid: number | null;
  readonly pid_started: string | null;
  readonly output: 0 | 1;
  readonly error: string | null;
}

/** A message that so many attempts have failed at is not the one to try again: it may be what they fail at. */
const mostAttempts = 12;

const toIncoming = ({ id, group_name, text, sender, arrived_at, state, attempts }: IncomingRow): IncomingMessage => ({
  id,
  group: group_name,
  text,
  ...(sender === null ? {} : { from: sender }),
  arrivedAt: toMoment(arrived_at),
  state,
  attempts,
});

const toOutgoing = ({ id, group_name, kind, text, answers, task, at }: OutgoingRow): OutgoingMessage => ({
  id,
  group: group_name,
  kind,
  text,
  answers: JSON.parse(answers) as number[],
  ...(task === null ? {} : { task }),
  at: toMoment(at),
});

const toRun = (row: RunRow): HostRun => ({
  id: row.id,
  group: row.group_name,
  task: row.task ?? undefined,
  epoch: row.epoch,
  startedAt: row.started_at,
  endedAt: row.ended_at ?? undefined,
  pid: row.pid ?? undefined,
  pidStarted: row.pid_started ?? undefined,
  output: row.output === 1,
  error: row.error ?? undefined,
});

export function hostRows(db: Database, read: Run, writeAny: Run): HostStore {
  const write = overwriting(db, writeAny);
  const tasks = taskRows(db, read, write);
  const isGroup = db.prepare<[string]>('SELECT 1 FROM groups WHERE name = ?');
  const add = db.prepare<unknown[], IncomingRow>(
    `INSERT INTO incoming (group_name, text, sender, arrived_at, state) VALUES (?, ?, ?, ?, 'waiting') RETURNING *`,
  );
  const revive = db.prepare(
    `UPDATE incoming SET state = 'waiting' WHERE group_name = ? AND state = 'given-up' AND attempts < ${mostAttempts}`,
  );
  const one = db.prepare<[string, number], IncomingRow>('SELECT * FROM incoming WHERE group_name = ? AND id = ?');
  const waiting = db.prepare<[string], IncomingRow>(
    "SELECT * FROM incoming WHERE group_name = ? AND state = 'waiting' ORDER BY id",
  );
  const unanswered = db.prepare<[string], IncomingRow>(
    "SELECT * FROM incoming WHERE group_name = ? AND state IN ('waiting', 'handed', 'given-up') ORDER BY id",
  );
  const hand = db.prepare(
    `UPDATE incoming SET state = 'handed', run = @run, output = 0 WHERE id = @id AND state = 'waiting'
       AND group_name = (SELECT group_name FROM host_runs WHERE id = @run AND task IS NULL AND ended_at IS NULL)`,
  );
  const release = db.prepare(
    "UPDATE incoming SET state = 'waiting', run = NULL WHERE id = ? AND run = ? AND state = 'handed'",
  );
  const handedTo = db.prepare<[number], IncomingRow>("SELECT * FROM incoming WHERE run = ? AND state = 'handed'");
  const settle = db.prepare(
    `UPDATE incoming SET state = @state, run = NULL, attempts = attempts + @failed,
       text = CASE WHEN @state = 'answered' THEN '' ELSE text END WHERE id = @id`,
  );
  const answer = db.prepare(
    "UPDATE incoming SET state = 'answered', text = '', run = NULL WHERE id = ? AND run = ? AND state = 'handed'",
  );
  const insertOut = db.prepare<unknown[], OutgoingRow>(
    `INSERT INTO outgoing (group_name, kind, text, answers, task, session, at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
  );
  const setOutput = db.prepare("UPDATE incoming SET output = ? WHERE run = ? AND state = 'handed'");
  const runHasOutput = db.prepare('UPDATE host_runs SET output = 1 WHERE id = ? AND output = 0');
  const goOnAt = db.prepare(
    'UPDATE groups SET resume_at = @at WHERE name = @group AND epoch = @epoch AND session = @session',
  );
  const outAfter = db.prepare<[string, number, number], OutgoingRow>(
    'SELECT * FROM outgoing WHERE group_name = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const outSince = db.prepare<[string, number], { count: number; characters: number }>(
    'SELECT count(*) AS count, coalesce(sum(length(text)), 0) AS characters FROM outgoing WHERE group_name = ? AND at >= ?',
  );
  const lastOut = db.prepare<[], number>(
    "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outgoing'), 0)",
  );
  const seenInChat = db.prepare<[string], number | null>('SELECT chat_seen FROM groups WHERE name = ?').pluck();
  const noteSeen = db.prepare('UPDATE groups SET chat_seen = max(coalesce(chat_seen, 0), ?) WHERE name = ?');
  const drops = [
    'DELETE FROM outgoing WHERE at < ?',
    "DELETE FROM incoming WHERE state = 'answered' AND arrived_at < ?",
    'DELETE FROM host_runs WHERE ended_at < ?',
  ].map((sql) => db.prepare<[number]>(sql));

  const beginRun = db.prepare('INSERT INTO host_runs (group_name, task, epoch, started_at) VALUES (?, ?, ?, ?)');
  const noteProcess = db.prepare('UPDATE host_runs SET pid = ?, pid_started = ? WHERE id = ?');
  const runRow = db.prepare<[number], RunRow>('SELECT * FROM host_runs WHERE id = ?');
  const openRuns = db.prepare<[], RunRow>('SELECT * FROM host_runs WHERE ended_at IS NULL ORDER BY id');
  const endRun = db.prepare('UPDATE host_runs SET ended_at = ?, error = ?, result = ? WHERE id = ?');
  const lastErrors = db.prepare<[], { group: string; at: number; error: string }>(
    `SELECT r.group_name AS "group", r.ended_at AS at, r.error FROM host_runs r WHERE r.error IS NOT NULL AND r.id =
       (SELECT max(id) FROM host_runs WHERE group_name = r.group_name AND error IS NOT NULL) ORDER BY 1`,
  );

  const failuresOf = db.prepare<[string], number>('SELECT failures FROM group_retries WHERE group_name = ?').pluck();
  const putOff = db.prepare(
    `INSERT INTO group_retries (group_name, failures, not_before) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET failures = excluded.failures, not_before = excluded.not_before`,
  );
  const noRetries = db.prepare('DELETE FROM group_retries WHERE group_name = ?');
  const dueGroups = db
    .prepare<[number], string>(
      `SELECT m.group_name FROM incoming m LEFT JOIN group_retries r ON r.group_name = m.group_name
       WHERE m.state = 'waiting' AND coalesce(r.not_before, 0) <= ?
       GROUP BY m.group_name ORDER BY max(min(m.arrived_at), coalesce(r.not_before, 0)), min(m.id)`,
    )
    .pluck();
  const nextRetry = db
    .prepare<[number], number | null>(
      `SELECT min(not_before) FROM group_retries r WHERE not_before > ?
         AND EXISTS (SELECT 1 FROM incoming m WHERE m.group_name = r.group_name AND m.state = 'waiting')`,
    )
    .pluck();
  const queues = db.prepare<
    [],
    {
      group: string;
      waiting: number;
      handed: number;
      givenUp: number;
      notBefore: number | null;
      failures: number;
    }
  >(
    `SELECT m.group_name AS "group", sum(m.state = 'waiting') AS waiting, sum(m.state = 'handed') AS handed,
       sum(m.state = 'given-up') AS givenUp, r.not_before AS notBefore, coalesce(r.failures, 0) AS failures
     FROM incoming m LEFT JOIN group_retries r ON r.group_name = m.group_name
     WHERE m.state IN ('waiting', 'handed', 'given-up') GROUP BY m.group_name ORDER BY m.group_name`,
  );

  const tell = (
    group: string,
    kind: OutgoingKind,
    text: string,
    at: number,
    {
      answers = [],
      task,
      session,
    }: { answers?: readonly number[]; task?: number | undefined; session?: string | undefined },
  ): OutgoingMessage =>
    toOutgoing(
      insertOut.get(group, kind, text, JSON.stringify(answers), task ?? null, session ?? null, at) as OutgoingRow,
    );

  /** What becomes of the messages that the run still has, and of the group's next try. */
  function endTalk(row: RunRow, { how, error, backoff }: RunEnd, at: number): RunEnded {
    const group = row.group_name;
    const told: number[] = [];
    const lost: number[] = [];
    for (const { id, output, attempts } of handedTo.all(row.id)) {
      const failed = how === 'ok' || output === 1 ? 0 : 1;
      const state = output === 1 ? 'answered' : attempts + failed >= mostAttempts ? 'given-up' : 'waiting';
      settle.run({ id, state, failed });
      if (state === 'answered') told.push(id);
      if (state === 'given-up') lost.push(id);
    }
    const left = waiting.all(group).map(({ id }) => id);
    const failures = how === 'failed' && left.length > 0 ? (failuresOf.get(group) ?? 0) + 1 : 0;
    const wait = backoff[failures - 1];
    const gaveUp = failures > 0 && wait === undefined;
    if (gaveUp) {
      for (const id of left) settle.run({ id, state: 'given-up', failed: 0 });
      lost.push(...left);
      noRetries.run(group);
    } else if (wait !== undefined) putOff.run(group, failures, at + wait);
    const why = error ?? 'its process ended';
    const notice =
      lost.length > 0
        ? tell(group, 'notice', `There is no answer: ${why}. It is tried again with the next message.`, at, {
            answers: [...told, ...lost],
          })
        : told.length > 0
          ? tell(group, 'notice', `The answer ends here: ${why}.`, at, { answers: told })
          : undefined;
    return { retryAt: wait === undefined ? undefined : at + wait, gaveUp, notice };
  }

  return {
    ...tasks.methods,
    async addMessage(group, { text, from }, at) {
      return write(() => {
        if (isGroup.get(group) === undefined) return undefined;
        revive.run(group);
        return toIncoming(add.get(group, text, from ?? null, at) as IncomingRow);
      });
    },
    async message(group, id) {
      const row = read(() => one.get(group, id));
      return row && toIncoming(row);
    },
    async waitingMessages(group) {
      return read(() => waiting.all(group).map(toIncoming));
    },
    async unansweredMessages(group) {
      return read(() => unanswered.all(group).map(toIncoming));
    },
    async handMessages(run, ids) {
      return write(() => ids.filter((id) => hand.run({ run, id }).changes > 0));
    },
    async releaseMessages(run, ids) {
      write(() => {
        for (const id of ids) release.run(id, run);
      });
    },
    async putOut({ group, kind, text, answers = [], run, task, session, position }, at) {
      return write(() => {
        if (position !== undefined) goOnAt.run({ group, session, ...position });
        if (run !== undefined) {
          for (const id of answers) answer.run(id, run);
          // An answer ends its turn: what the run has besides is for the next, of which nothing was said yet.
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
    async emptyLog() {
      return read(() => emptyLog(db));
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
    async dropOldMessages(before) {
      return write(() => drops.reduce((sum, drop) => sum + drop.run(before).changes, 0));
    },

    async beginRun({ group, task, epoch }, at) {
      return write(() => Number(beginRun.run(group, task ?? null, epoch, at).lastInsertRowid));
    },
    async noteProcess(run, pid, started) {
      write(() => noteProcess.run(pid, started ?? null, run));
    },
    async endRun(run, end, at) {
      return write(() => {
        const row = runRow.get(run);
        if (row === undefined || row.ended_at !== null) return { retryAt: undefined, gaveUp: false, notice: undefined };
        endRun.run(at, end.error ?? null, end.result ?? null, run);
        if (row.task === null) return endTalk(row, end, at);
        const ended: TaskEnd = tasks.end(row.task, { ...end, output: row.output === 1, startedAt: row.started_at }, at);
        const notice = ended.gaveUp
          ? tell(
              row.group_name,
              'notice',
              `The scheduled task ${row.task} failed: ${end.error ?? 'its process ended'}.`,
              at,
              {
                task: row.task,
              },
            )
          : undefined;
        return { ...ended, notice };
      });
    },
    async openRuns() {
      return read(() => openRuns.all().map(toRun));
    },
    async lastErrors() {
      return read(() => lastErrors.all());
    },

    async dueGroups(now) {
      return read(() => dueGroups.all(now));
    },
    async nextDue(now) {
      const moments = read(() => [nextRetry.get(now), tasks.next(now)]).filter((one) => typeof one === 'number');
      return moments.length === 0 ? undefined : Math.min(...(moments as number[]));
    },
    async queues() {
      return read(() => queues.all().map((row) => ({ ...row, notBefore: row.notBefore ?? undefined })));
    },
  };
}
