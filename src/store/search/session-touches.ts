// The files that tools used in given sessions.

import { digestSql } from '../sessions/digest.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { CountedTouch, SearchPort, Touch } from './port.ts';

interface TouchRow {
  files: string;
  tool: string;
  failed: number | null;
  at: number;
  session: string;
  cwd: string | null;
}

export function sessionTouches(connection: Connection): Pick<SearchPort, 'touches' | 'countedTouches'> {
  const { read: run } = connection;
  const touches = connection.statement<[string, string, number], TouchRow>(digestSql.touches);
  const counted = connection.statement<
    [string, string],
    Omit<CountedTouch, 'failed' | 'cwd'> & { failed: number; cwd: string | null }
  >(
    `SELECT f.path AS file, c.tool, c.failed, c.at, c.times, c.cwd FROM (
       SELECT x.touched_id, t.tool, t.outcome IS 'error' AS failed, max(x.at) AS at, count(*) AS times, s.cwd
       FROM sessions s CROSS JOIN entries e INDEXED BY entries_with_tools ON e.session_id = s.id
       CROSS JOIN tool_uses t ON t.entry_id = e.id CROSS JOIN file_touches x ON x.tool_use_id = t.id
       WHERE s.session = ? AND s.agent = ? AND e.tools IS NOT NULL AND e.abandoned = 0 GROUP BY 1, 2, 3
     ) c JOIN touched_files f ON f.id = c.touched_id`,
  );

  return {
    async countedTouches({ agent, id }) {
      return run(() => counted.all(id, agent).map((row) => ({ ...row, failed: row.failed === 1, cwd: row.cwd ?? '' })));
    },
    async touches(sessions, limit) {
      return run(() => {
        const found: Touch[] = [];
        for (const { agent, id } of sessions) {
          if (found.length >= limit) break;
          for (const { files, ...row } of touches.all(id, agent, limit - found.length))
            for (const file of JSON.parse(files) as string[])
              found.push({ ...row, file, failed: row.failed === 1, cwd: row.cwd ?? '' });
        }
        return found;
      });
    },
  };
}
