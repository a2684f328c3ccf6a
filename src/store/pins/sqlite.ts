// Items that a person pinned or muted. Stored under the agents' own ids, so reading a transcript again changes nothing.

import type { AgentName } from '../../schema/agent-name.ts';
import type { Pin } from '../../schema/pin.ts';
import { toMoment } from '../../schema/time.ts';
import { titleOfSession } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { headline } from '../transcripts/session-summary.ts';
import type { PinsPort } from './port.ts';

interface PinRow {
  kind: Pin['kind'];
  id: string;
  agent: AgentName | '';
  mark: Pin['mark'];
  at: number;
  text: string | null;
}

export function pinsPort(connection: Connection): PinsPort {
  const { read, write } = connection;
  const all = connection.statement<[], PinRow>(
    `SELECT p.*, CASE p.kind
       WHEN 'session' THEN (SELECT ${titleOfSession} FROM sessions s WHERE s.session = p.id AND s.agent = p.agent)
       WHEN 'entry' THEN (SELECT text FROM entries e WHERE e.uuid = p.id)
       ELSE (SELECT name FROM projects r WHERE r.path = p.id) END AS text
     FROM pins p ORDER BY p.at DESC, p.kind, p.id`,
  );
  const set = connection.statement(
    `INSERT INTO pins (kind, id, agent, mark, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET mark = excluded.mark, at = excluded.at WHERE mark <> excluded.mark`,
  );
  const remove = connection.statement('DELETE FROM pins WHERE kind = ? AND id = ? AND agent = ? AND mark = ?');

  return {
    async list() {
      return read(() =>
        all.all().map(({ agent, at, text, ...row }) => ({
          ...row,
          ...(agent === '' ? {} : { agent }),
          at: toMoment(at),
          text: headline(text ?? ''),
        })),
      );
    },
    async set({ kind, id, agent }, mark, at) {
      write(() => set.run(kind, id, agent ?? '', mark, at));
    },
    async remove({ kind, id, agent }, mark) {
      return write(() => remove.run(kind, id, agent ?? '', mark).changes > 0);
    },
  };
}
