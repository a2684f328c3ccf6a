// Claims on jobs: taken with a lease, renewed, or lost when the lease expires.
import type { Connection, LazyStatement } from '../sqlite/connection.ts';
import { givingBack } from './giving-back.ts';
import type { JobsPort, JobWords } from './port.ts';
import { dueIf, type JobRow, open, select, toClaimed, wanted } from './rows.ts';

export function jobClaims(connection: Connection): Pick<JobsPort, 'claim' | 'renewClaims' | 'claimants'> {
  const { read, write } = connection;
  const { giveBack } = givingBack(connection);
  const expired = connection.statement<[number], JobRow>(`${select} WHERE j.status = 'claimed' AND j.lease_until <= ?`);
  const claimants = connection
    .statement<[], string>("SELECT DISTINCT claimant FROM jobs WHERE status = 'claimed'")
    .pluck();
  const take = connection.statement(
    `UPDATE jobs SET status = 'claimed', claimant = @claimant, claimed_version = version, lease_until = @until,
       attempts = attempts + 1, waits_for = NULL, updated_at = @now WHERE id = @id`,
  );
  const renew = connection.statement("UPDATE jobs SET lease_until = ? WHERE status = 'claimed' AND claimant = ?");
  const process = connection.statement(
    "UPDATE conversations SET status = 'processing', attempts = attempts + 1, lease_until = ? WHERE id = ? AND status = 'queued'",
  );
  const renewConversations = connection.statement(
    `UPDATE conversations SET lease_until = ? WHERE status = 'processing' AND id IN
       (SELECT subject FROM jobs WHERE kind = 'remember' AND status = 'claimed' AND claimant = ?)`,
  );
  const nextLease = connection
    .statement<[], number | null>("SELECT min(lease_until) FROM jobs WHERE status = 'claimed'")
    .pluck();

  function expire(now: number, maxAttempts: number, words: JobWords): void {
    for (const row of expired.all(now)) {
      const givenUp = row.attempts >= maxAttempts;
      const error = givenUp ? words.lost(row.attempts, row.error ?? undefined) : row.error;
      giveBack(row, now, { status: givenUp ? 'failed' : 'ready', error }, words);
    }
  }

  const statements = new Map<string, LazyStatement<unknown[], unknown>>();
  const prepared = (sql: string) => {
    const found = statements.get(sql) ?? connection.statement(sql);
    statements.set(sql, found);
    return found;
  };

  return {
    async claim({ claimant, now, leaseMs, maxAttempts, words, limit, mixed = false, early = false, ...filter }) {
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
        expire(now, maxAttempts, words);
        const chosen = first.get(now, ...values) as JobRow | undefined;
        if (chosen === undefined) return [];
        const rows = (
          mixed
            ? others.all(now, chosen.kind, ...values, limit)
            : others.all(chosen.session_id, chosen.kind, now, limit)
        ) as JobRow[];
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
  };
}
