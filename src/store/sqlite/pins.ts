// What a person pinned or muted. Kept under the agents' own ids, so that reading a transcript anew changes nothing.
import type { Database } from 'better-sqlite3';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Pin } from '../../schema/pin.ts';
import { toMoment } from '../../schema/time.ts';
import type { Store } from '../store.ts';
import { titleOfSession } from './read.ts';
import { headline } from './session-rows.ts';

interface PinRow {
  kind: Pin['kind'];
  id: string;
  agent: AgentName | '';
  mark: Pin['mark'];
  at: number;
  text: string | null;
}

type Run = <T>(work: () => T) => T;

export function pinRows(db: Database, read: Run, write: Run): Pick<Store, 'pins' | 'setPin' | 'removePin'> {
  const all = db.prepare<[], PinRow>(
    `SELECT p.*, CASE p.kind
       WHEN 'session' THEN (SELECT ${titleOfSession} FROM sessions s WHERE s.session = p.id AND s.agent = p.agent)
       WHEN 'entry' THEN (SELECT text FROM entries e WHERE e.uuid = p.id)
       ELSE (SELECT name FROM projects r WHERE r.path = p.id) END AS text
     FROM pins p ORDER BY p.at DESC, p.kind, p.id`,
  );
  const set = db.prepare(
    `INSERT INTO pins (kind, id, agent, mark, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET mark = excluded.mark, at = excluded.at WHERE mark <> excluded.mark`,
  );
  const remove = db.prepare('DELETE FROM pins WHERE kind = ? AND id = ? AND agent = ? AND mark = ?');

  return {
    async pins() {
      return read(() =>
        all.all().map(({ agent, at, text, ...row }) => ({
          ...row,
          ...(agent === '' ? {} : { agent }),
          at: toMoment(at),
          text: headline(text ?? ''),
        })),
      );
    },
    async setPin({ kind, id, agent }, mark, at) {
      write(() => set.run(kind, id, agent ?? '', mark, at));
    },
    async removePin({ kind, id, agent }, mark) {
      return write(() => remove.run(kind, id, agent ?? '', mark).changes > 0);
    },
  };
}
