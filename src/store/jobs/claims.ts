// The queue of distillation: jobs are planned, claimed with a lease, and ended together with their results.

import type { AgentName } from '../../schema/agent-name.ts';
import type { Job, JobKind, JobStatus } from '../../schema/job.ts';
import { toMoment } from '../../schema/time.ts';
import { distilledWrites } from '../distilled/observations.ts';
import type { Connection, LazyStatement } from '../sqlite/connection.ts';
import { jobPlans } from './plan.ts';
import type { ClaimedJob, JobFilter, JobResult, JobsPort } from './port.ts';
import { spender } from './spending.ts';

interface Row {
  id: number;
  kind: JobKind;
  agent: AgentName;
  session: string;
  session_id: number;
  project: string | null;
  subject: number;
  version: string;
  claimed_version: string | null;
  status: JobStatus;
  material_at: number;
  not_before: number;
  waits_for: string | null;
  attempts: number;
  error: string | null;
  by: string | null;
  tokens: number;
  updated_at: number;
}

const select = `SELECT j.*, s.agent, s.session, p.name AS project FROM jobs j JOIN sessions s ON s.id = j.session_id
  LEFT JOIN projects p ON p.id = s.project_id`;
// Summaries and memories are made from observations, so their jobs wait for the observe jobs.
const open = `(j.kind = 'observe' OR NOT EXISTS (SELECT 1 FROM jobs o WHERE o.session_id = j.session_id AND o.kind = 'observe'
  AND o.status IN ('ready', 'claimed') AND o.material_at <= j.material_at))`;

/** `early` skips only the wait for a silence, not the waits after a failure, for the budget or for the model. */
const dueIf = (early: boolean): string =>
  early ? '(j.not_before <= ? OR (j.waits_for IS NULL AND j.attempts = 0))' : 'j.not_before <= ?';

export function jobRows(connection: Connection): Omit<JobsPort, 'reserveTokens' | 'spending'> {
  const { read, write } = connection;
  const { isWaiting, plan } = jobPlans(connection);
  const spend = spender(connection);
  const distilled = distilledWrites(connection);
  const getFact = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const putFact = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const byId = connection.statement<[number], Row>(`${select} WHERE j.id = ?`);
  const held = connection.statement<[number, string], Row>(
    `${select} WHERE j.id = ? AND j.claimant = ? AND j.status = 'claimed'`,
  );
  const expired = connection.statement<[number], Row>(`${select} WHERE j.status = 'claimed' AND j.lease_until <= ?`);
  const heldBy = connection.statement<[string], Row>(`${select} WHERE j.status = 'claimed' AND j.claimant = ?`);
  const claimants = connection
    .statement<[], string>("SELECT DISTINCT claimant FROM jobs WHERE status = 'claimed'")
    .pluck();
  const take = connection.statement(
    `UPDATE jobs SET status = 'claimed', claimant = @claimant, claimed_version = version, lease_until = @until,
       attempts = attempts + 1, waits_for = NULL, updated_at = @now WHERE id = @id`,
  );
  const renew = connection.statement("UPDATE jobs SET lease_until = ? WHERE status = 'claimed' AND claimant = ?");
  const give = connection.statement(
    `UPDATE jobs SET status = @status, claimant = NULL, claimed_version = NULL, lease_until = NULL, reserved = 0,
       not_before = @notBefore, waits_for = @waitsFor, attempts = @attempts, error = @error, updated_at = @now WHERE id = @id`,
  );
  const done = connection.statement(
    `UPDATE jobs SET status = CASE WHEN version = claimed_version THEN 'done' ELSE 'ready' END, claimant = NULL,
       claimed_version = NULL, lease_until = NULL, reserved = 0, attempts = 0, error = NULL, by = @by,
       tokens = tokens + @tokens, updated_at = @now WHERE id = @id`,
  );
  const process = connection.statement(
    "UPDATE conversations SET status = 'processing', attempts = attempts + 1, lease_until = ? WHERE id = ? AND status = 'queued'",
  );
  const renewConversations = connection.statement(
    `UPDATE conversations SET lease_until = ? WHERE status = 'processing' AND id IN
       (SELECT subject FROM jobs WHERE kind = 'remember' AND status = 'claimed' AND claimant = ?)`,
  );
  const requeue = connection.statement(
    "UPDATE conversations SET status = 'queued', lease_until = NULL, reason = ? WHERE id = ? AND status = 'processing'",
  );
  const archive = connection.statement(
    "UPDATE conversations SET status = 'archived', lease_until = NULL, reason = NULL WHERE id = ? AND status = 'processing'",
  );
  const defer = connection.statement(
    "UPDATE jobs SET not_before = @until, waits_for = @reason WHERE status = 'ready' AND not_before < @until",
  );
  const undefer = connection.statement(
    "UPDATE jobs SET not_before = 0, waits_for = NULL WHERE status = 'ready' AND waits_for IS NOT NULL",
  );
  const endWait = connection.statement(
    "UPDATE jobs SET not_before = 0, waits_for = NULL WHERE status = 'ready' AND waits_for = ?",
  );
  const fact = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const setFact = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const nextLease = connection
    .statement<[], number | null>("SELECT min(lease_until) FROM jobs WHERE status = 'claimed'")
    .pluck();
  const nextReady = connection
    .statement<[], number>(
      `SELECT j.not_before FROM jobs j WHERE j.status = 'ready' AND ${open} ORDER BY j.not_before LIMIT 1`,
    )
    .pluck();
  const counts = connection.statement<[], { status: JobStatus; n: number }>(
    'SELECT status, count(*) AS n FROM jobs GROUP BY status',
  );
  const nextWait = connection.statement<[], { reason: string; until: number; n: number; error: string | null }>(
    `SELECT waits_for AS reason, min(not_before) AS until, count(*) AS n, max(error) AS error FROM jobs
     WHERE status = 'ready' AND waits_for IS NOT NULL GROUP BY waits_for`,
  );

  /** Ends a claim without a result. */
  function giveBack(
    row: Row,
    now: number,
    to: {
      status: 'ready' | 'failed';
      notBefore?: number;
      waitsFor?: string | undefined;
      attempts?: number;
      error?: string | null;
    },
  ): void {
    // New material resets the attempts.
    const isOld = row.version !== row.claimed_version;
    const { notBefore = row.not_before, waitsFor = null, attempts = row.attempts, error = row.error } = to;
    give.run({
      id: row.id,
      now,
      ...(isOld
        ? { status: 'ready', notBefore: row.not_before, waitsFor: null, attempts: 0, error: null }
        : { status: to.status, notBefore, waitsFor, attempts, error }),
    });
    if (row.kind === 'remember') requeue.run(to.status === 'failed' ? `given up: ${error}` : error, row.subject);
  }

  function keep({ agent, session, subject }: Row, result: JobResult): void {
    if (result.kind === 'remember') archive.run(subject);
    else if (result.kind === 'observe') {
      if (result.observation !== undefined) distilled.putObservation(result.observation);
      else distilled.dropObservation(agent, session, subject);
    } else if (result.summary !== undefined) distilled.putSummary(result.summary);
    else distilled.dropSummary(agent, session);
  }

  function expire(now: number, maxAttempts: number): void {
    for (const row of expired.all(now)) {
      const givenUp = row.attempts >= maxAttempts;
      const because = row.error === null ? '' : `; before that: ${row.error}`;
      const error = givenUp ? `${row.attempts} attempts ended with their process${because}` : row.error;
      giveBack(row, now, { status: givenUp ? 'failed' : 'ready', error });
    }
  }

  function wanted({ session, since, statuses, ids, kind }: JobFilter): { where: string; values: unknown[] } {
    const parts: [string, unknown][] = [];
    if (session !== undefined) parts.push(['s.agent = ?', session.agent], ['s.session = ?', session.session]);
    if (since !== undefined) parts.push(['j.material_at >= ?', since]);
    if (kind !== undefined) parts.push(['j.kind = ?', kind]);
    if (statuses !== undefined) parts.push(['j.status IN (SELECT value FROM json_each(?))', JSON.stringify(statuses)]);
    if (ids !== undefined) parts.push(['j.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids)]);
    return { where: parts.map(([sql]) => ` AND ${sql}`).join(''), values: parts.map(([, value]) => value) };
  }

  const statements = new Map<string, LazyStatement<unknown[], unknown>>();
  const prepared = (sql: string) => {
    const found = statements.get(sql) ?? connection.statement(sql);
    statements.set(sql, found);
    return found;
  };

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
    async claim({ claimant, now, leaseMs, maxAttempts, limit, mixed = false, early = false, ...filter }) {
      const { where, values } = wanted(filter);
      const due = dueIf(early);
      const newest = (more: string) =>
        `${select} WHERE j.status = 'ready' AND ${due} AND ${open}${more}${where} ORDER BY j.material_at DESC, j.kind LIMIT`;
      const first = prepared(`${newest('')} 1`);
      const others = mixed
        ? prepared(`${newest(' AND j.kind = ?')} ?`)
        : prepared(
            `${select} WHERE j.session_id = ? AND j.kind = ? AND j.status = 'ready' AND ${due} ORDER BY j.subject LIMIT ?`,
          );
      // The read first keeps a process without work from writing.
      if (read(() => first.get(now, ...values) === undefined && (nextLease.get() ?? now + 1) > now)) return [];
      return write(() => {
        expire(now, maxAttempts);
        const chosen = first.get(now, ...values) as Row | undefined;
        if (chosen === undefined) return [];
        const rows = (
          mixed
            ? others.all(now, chosen.kind, ...values, limit)
            : others.all(chosen.session_id, chosen.kind, now, limit)
        ) as Row[];
        for (const { id, kind, subject } of rows) {
          take.run({ id, claimant, until: now + leaseMs, now });
          if (kind === 'remember') process.run(now + leaseMs, subject);
        }
        return rows.map(toClaimed);
      });
    },
    async renewClaims(claimant, until) {
      write(() => {
        renew.run(until, claimant);
        renewConversations.run(until, claimant);
      });
    },
    async claimants() {
      return read(() => claimants.all());
    },
    async finish(claimant, results, now, spent) {
      return write(() => {
        if (spent !== undefined) spend(spent, now);
        return results.flatMap((result) => {
          const { id, by, tokens } = result;
          const row = held.get(id, claimant);
          // Another process has claimed the job, or it was cancelled or deleted: drop this result.
          if (row === undefined) return [];
          keep(row, result);
          done.run({ id, by, tokens, now });
          return [id];
        });
      });
    },
    async fail(claimant, ids, { error, retryAt, waitsFor, maxAttempts }, now, spent) {
      return write(() => {
        if (spent !== undefined) spend(spent, now);
        for (const id of ids) {
          const row = held.get(id, claimant);
          if (row === undefined) continue;
          const status = row.attempts >= maxAttempts ? 'failed' : 'ready';
          giveBack(row, now, { status, notBefore: retryAt, waitsFor, error });
        }
      });
    },
    async release(claimant, now, wait) {
      write(() => {
        for (const row of heldBy.all(claimant)) {
          const { until = row.not_before, reason } = wait ?? {};
          giveBack(row, now, { status: 'ready', attempts: row.attempts - 1, notBefore: until, waitsFor: reason });
        }
      });
    },
    async defer(until, reason) {
      return write(() => defer.run({ until, reason }).changes);
    },
    async undefer(settings) {
      const name = 'distilling settings';
      if (read(() => fact.get(name)) === settings) return 0;
      return write(() => {
        setFact.run(name, settings);
        return undefer.run().changes;
      });
    },
    async endWaits(reason) {
      return write(() => endWait.run(reason).changes);
    },
    async countDue({ now, early = false, ...filter }) {
      return read(() => {
        const { where, values } = wanted(filter);
        const joins = 'FROM jobs j JOIN sessions s ON s.id = j.session_id';
        const sql = `SELECT count(*) ${joins} WHERE j.status = 'ready' AND ${dueIf(early)}${where}`;
        return connection
          .statement(sql)
          .pluck()
          .get(now, ...values) as number;
      });
    },
    async nextAt() {
      return read(() => {
        const times = [nextLease.get(), nextReady.get()].filter((time) => typeof time === 'number');
        return times.length === 0 ? undefined : Math.min(...times);
      });
    },
    async list(filter) {
      return read(() => {
        const { where, values } = wanted(filter);
        const sql = `${select} WHERE 1${where} ORDER BY j.updated_at DESC, j.id DESC LIMIT ?`;
        return (connection.statement(sql).all(...values, filter.limit ?? -1) as Row[]).map(toJob);
      });
    },
    async counts() {
      return read(() => {
        const all = { ready: 0, claimed: 0, done: 0, failed: 0, cancelled: 0 };
        for (const { status, n } of counts.all()) all[status] = n;
        const waits = nextWait.all().map(({ reason, until, n, error }) => ({
          reason,
          until,
          jobs: n,
          ...(error === null ? {} : { error }),
        }));
        return { ...all, waits };
      });
    },
    async retry(filter, now) {
      return write(() => {
        const { where, values } = wanted({ ...filter, statuses: filter.statuses ?? ['failed', 'cancelled'] });
        const rows = connection.statement(`${select} WHERE 1${where}`).all(...values) as Row[];
        for (const { id } of rows)
          give.run({ id, now, status: 'ready', notBefore: 0, waitsFor: null, attempts: 0, error: null });
        return rows.length;
      });
    },
    async cancel(ids, now) {
      return write(() =>
        ids.flatMap((id) => {
          const row = byId.get(id);
          if (row === undefined || !['ready', 'claimed', 'failed'].includes(row.status)) return [];
          give.run({
            id,
            now,
            status: 'cancelled',
            notBefore: 0,
            waitsFor: null,
            attempts: row.attempts,
            error: row.error,
          });
          if (row.kind === 'remember') requeue.run('cancelled', row.subject);
          return [id];
        }),
      );
    },
    async redo(filter, now) {
      return write(() => {
        const { where, values } = wanted({ ...filter, statuses: ['done', 'failed', 'cancelled'] });
        const { notBy = [] } = filter;
        const by = notBy.map(() => ' AND j.by IS NOT ?').join('');
        const rows = connection.statement(`${select} WHERE 1${where}${by}`).all(...values, ...notBy) as Row[];
        for (const { id } of rows)
          give.run({ id, now, status: 'ready', notBefore: 0, waitsFor: null, attempts: 0, error: null });
        return rows.length;
      });
    },
    async renewByRules(by, rules, now) {
      const name = `distilled by ${by}: rules`;
      if (read(() => getFact.get(name)) === rules) return 0;
      return write(() => {
        const rows = connection.statement(`${select} WHERE j.status = 'done' AND j.by = ?`).all(by) as Row[];
        for (const { id } of rows)
          give.run({ id, now, status: 'ready', notBefore: 0, waitsFor: null, attempts: 0, error: null });
        putFact.run(name, rules);
        return rows.length;
      });
    },
  };
}

const toClaimed = (row: Row): ClaimedJob => ({
  id: row.id,
  kind: row.kind,
  agent: row.agent,
  session: row.session,
  subject: row.subject,
  attempts: row.attempts + 1,
});

const toJob = (row: Row): Job => ({
  id: row.id,
  kind: row.kind,
  agent: row.agent,
  session: row.session,
  project: row.project ?? '',
  subject: row.kind === 'summarize' ? '' : String(row.subject),
  status: row.status,
  at: toMoment(row.material_at),
  notBefore: toMoment(row.not_before),
  ...(row.waits_for === null ? {} : { waitsFor: row.waits_for }),
  attempts: row.attempts,
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.by === null ? {} : { by: row.by }),
  tokens: row.tokens,
  updatedAt: toMoment(row.updated_at),
});
