// When the next run is due, and for which group.
import type { Connection } from '../sqlite/connection.ts';
import { taskEnding } from '../tasks/ending.ts';
import type { RunsPort } from './port.ts';

export function runsDue(connection: Connection): Pick<RunsPort, 'dueGroups' | 'nextDue' | 'queues'> {
  const { read } = connection;
  const tasks = taskEnding(connection);
  const dueGroups = connection
    .statement<[number], string>(
      `SELECT m.group_name FROM incoming m LEFT JOIN group_retries r ON r.group_name = m.group_name
       WHERE m.state = 'waiting' AND coalesce(r.not_before, 0) <= ?
       GROUP BY m.group_name ORDER BY max(min(m.arrived_at), coalesce(r.not_before, 0)), min(m.id)`,
    )
    .pluck();
  const nextRetry = connection
    .statement<[number], number | null>(
      `SELECT min(not_before) FROM group_retries r WHERE not_before > ?
         AND EXISTS (SELECT 1 FROM incoming m WHERE m.group_name = r.group_name AND m.state = 'waiting')`,
    )
    .pluck();
  const queues = connection.statement<
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

  return {
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
