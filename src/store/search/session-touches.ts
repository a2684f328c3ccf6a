// The files that tools last used in given sessions, for briefings.

import { digestSql } from '../sessions/digest.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { SearchPort, Touch } from './port.ts';

interface TouchRow {
  files: string;
  tool: string;
  failed: number | null;
  at: number;
  session: string;
  cwd: string | null;
}

export function sessionTouches(connection: Connection): Pick<SearchPort, 'touches'> {
  const { read: run } = connection;
  const touches = connection.statement<[string, string, number], TouchRow>(digestSql.touches);

  return {
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
