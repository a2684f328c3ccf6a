// Changed sessions → their jobs. A function of the rows, so a crash neither loses nor repeats a job.

import type { SessionStatus } from '../../schema/session-state.ts';
import { hubKeyPrefix } from '../hub/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { JobsPort, PlanRules } from './port.ts';

interface Line {
  readonly uuid: string;
  readonly at: number;
  readonly author: string;
}

interface Turn {
  readonly prompt: string;
  last: Line;
  entries: number;
}

/** Marks a session for planning, in the caller's transaction. */
export function planLater(connection: Connection) {
  const add = connection.statement('INSERT INTO jobs_to_plan (session_id) VALUES (?) ON CONFLICT DO NOTHING');
  return (session: number): void => {
    add.run(session);
  };
}

/** Adds a job, or renews the one that has the same subject. */
function jobWriting(connection: Connection) {
  // A claimed job keeps its claim. It becomes ready again when it ends with its old version.
  const put = connection.statement(
    `INSERT INTO jobs (kind, session_id, subject, version, status, material_at, not_before, updated_at)
     VALUES (@kind, @session, @subject, @version, 'ready', @at, @due, @now)
     ON CONFLICT (session_id, kind, subject) DO UPDATE SET version = excluded.version, material_at = excluded.material_at,
       not_before = excluded.not_before, updated_at = excluded.updated_at, waits_for = NULL, error = NULL,
       attempts = 0, status = CASE status WHEN 'claimed' THEN 'claimed' ELSE 'ready' END
     WHERE version <> excluded.version
       OR (status = 'ready' AND attempts = 0 AND waits_for IS NULL AND not_before <> excluded.not_before)`,
  );
  return put;
}

/** The turns of one session → its jobs. */
function sessionPlanning(connection: Connection) {
  const put = jobWriting(connection);
  const lines = connection.statement<[number], Line>(
    `SELECT e.uuid, e.at, e.author FROM entries e JOIN files f ON f.id = e.file_id
     WHERE e.session_id = ? AND e.subagent IS NULL AND e.abandoned = 0 ORDER BY f.born_at, f.key, e.pos`,
  );
  const told = connection.statement<[number], { status: SessionStatus; updated_at: number }>(
    `SELECT t.status, t.updated_at FROM sessions s JOIN session_states t ON t.agent = s.agent AND t.session = s.session
     WHERE s.id = ?`,
  );
  const dropBeyond = connection.statement('DELETE FROM jobs WHERE session_id = ? AND kind = ? AND subject > ?');
  const dropObservations = connection.statement('DELETE FROM observations WHERE session_id = ? AND prompt > ?');
  const dropPast = connection.statement('DELETE FROM past_summaries WHERE session_id = ? AND prompts > ?');
  const dropSummary = connection.statement('DELETE FROM summaries WHERE session_id = ?');

  return function planSession(session: number, now: number, { gapMs, lateMs }: PlanRules): void {
    const turns: Turn[] = [];
    let last: Line | undefined;
    let entries = 0;
    for (const line of lines.all(session)) {
      entries++;
      last = line;
      if (line.author === 'person') turns.push({ prompt: line.uuid, last: line, entries: 1 });
      else {
        const turn = turns.at(-1);
        if (turn === undefined) continue;
        turn.last = line;
        turn.entries++;
      }
    }
    // The last turn is over when the agent has reported its stop, or after a long enough silence.
    const state = told.get(session);
    const stopped = state?.status === 'summarizing' || state?.status === 'completed';
    const end = last?.at ?? 0;
    const over = stopped && end <= state.updated_at + lateMs ? 0 : end + gapMs;
    turns.forEach((turn, i) => {
      const version = `${turn.prompt} ${turn.last.uuid} ${turn.entries}`;
      const due = i < turns.length - 1 ? 0 : over;
      put.run({ kind: 'observe', session, subject: i + 1, version, at: turn.last.at, due, now });
    });
    dropBeyond.run(session, 'observe', turns.length);
    dropObservations.run(session, turns.length);
    dropPast.run(session, turns.length);
    if (turns.length === 0) {
      dropBeyond.run(session, 'summarize', -1);
      dropSummary.run(session);
    } else
      put.run({
        kind: 'summarize',
        session,
        subject: 0,
        version: `${last?.uuid} ${entries}`,
        at: end,
        due: over,
        now,
      });
  };
}

export function jobPlanning(connection: Connection): Pick<JobsPort, 'plan'> {
  const { read, write } = connection;
  const put = jobWriting(connection);
  const planSession = sessionPlanning(connection);
  const next = connection.statement<[number], number>('SELECT session_id FROM jobs_to_plan LIMIT ?').pluck();
  const planned = connection.statement('DELETE FROM jobs_to_plan WHERE session_id = ?');
  // Sessions that came only from a hub are distilled on their machine of origin.
  const isOnlyOfHub = connection
    .statement<[number], number>(
      `SELECT coalesce(min(substr(f.key, 1, ${hubKeyPrefix.length}) = '${hubKeyPrefix}'), 0)
       FROM file_sessions x JOIN files f ON f.id = x.file_id WHERE x.session_id = ?`,
    )
    .pluck();
  const leaveHubs = connection.statement(
    `UPDATE conversations SET status = 'skipped', reason = ?
     WHERE status = 'ready' AND file_id IN (SELECT id FROM files WHERE substr(key, 1, ${hubKeyPrefix.length}) = '${hubKeyPrefix}')`,
  );
  const queue = connection.statement<
    [],
    { id: number; session_id: number; last_at: number; last_pos: number; entries: number }
  >(
    "UPDATE conversations SET status = 'queued' WHERE status = 'ready' RETURNING id, session_id, last_at, last_pos, entries",
  );
  const wasPlanned = connection.statement<[number, number], number>(
    "SELECT 1 FROM jobs WHERE session_id = ? AND kind = 'remember' AND subject = ?",
  );
  const waiting = connection.statement(
    "SELECT 1 FROM jobs_to_plan UNION ALL SELECT 1 FROM conversations WHERE status = 'ready' LIMIT 1",
  );

  const isWaiting = (): boolean => waiting.get() !== undefined;

  /** Plans up to `limit` sessions and every conversation that is ready; true when nothing is left to plan. */
  function plan(now: number, rules: PlanRules, limit: number): boolean {
    const sessions = next.all(limit);
    for (const session of sessions) {
      if (isOnlyOfHub.get(session) !== 1) planSession(session, now, rules);
      planned.run(session);
    }
    leaveHubs.run(rules.distilledElsewhere);
    for (const { id, session_id: session, last_at: at, last_pos, entries } of queue.all()) {
      // A conversation that has grown may grow further, for example while
      // an old transcript is copied here piece by piece.
      const due = wasPlanned.get(session, id) === undefined ? 0 : now + rules.lateMs;
      put.run({ kind: 'remember', session, subject: id, version: `${last_pos} ${entries}`, at, due, now });
    }
    return sessions.length < limit;
  }

  return {
    async plan(now, rules, atMost = Number.POSITIVE_INFINITY) {
      const step = Math.min(100, atMost);
      for (let planned = 0; planned < atMost; planned += step) {
        // The read first keeps an idle worker from writing.
        if (!read(isWaiting) || write(() => plan(now, rules, step))) return true;
        await new Promise((resolve) => setImmediate(resolve));
      }
      return !read(isWaiting);
    },
  };
}
