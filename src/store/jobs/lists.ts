// What the queue holds, for people and for the clock of a worker.
import type { JobStatus } from '../../schema/job.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { JobsPort } from './port.ts';
import { dueIf, type JobRow, open, select, toJob, wanted } from './rows.ts';

export function jobLists(connection: Connection): Pick<JobsPort, 'countDue' | 'nextAt' | 'list' | 'counts'> {
  const { read } = connection;
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

  return {
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
        return (connection.statement(sql).all(...values, filter.limit ?? -1) as JobRow[]).map(toJob);
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
  };
}
