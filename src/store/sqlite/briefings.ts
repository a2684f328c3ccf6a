// What sessions were given at their start.
import type { Database } from 'better-sqlite3';
import type { GivenBriefing } from '../../schema/briefing.ts';
import { toMoment } from '../../schema/time.ts';
import type { NewBriefing, Store } from '../store.ts';

type Row = Omit<GivenBriefing, 'at'> & { at: number };
type Run = <T>(work: () => T) => T;

const columns = 'agent, session, project, at, source, text';

export function briefingRows(
  db: Database,
  read: Run,
  write: Run,
): Pick<Store, 'saveBriefing' | 'briefings' | 'dropBriefings'> {
  const last = db.prepare<[string, string], { source: string; text: string }>(
    'SELECT source, text FROM briefings WHERE session = ? AND agent = ? ORDER BY at DESC, id DESC LIMIT 1',
  );
  const add = db.prepare<NewBriefing>(
    `INSERT INTO briefings (${columns}) VALUES (@agent, @session, @project, @at, @source, @text)`,
  );
  const newest = db.prepare<[number], Row>(`SELECT ${columns} FROM briefings ORDER BY id DESC LIMIT ?`);
  const ofSession = db.prepare<[string, string, number], Row>(
    `SELECT ${columns} FROM briefings WHERE session >= ? AND session < ? || x'f48fbfbf' ORDER BY at DESC, id DESC LIMIT ?`,
  );

  const drop = db.prepare('DELETE FROM briefings WHERE at >= ?');

  return {
    async dropBriefings(since) {
      return write(() => drop.run(since).changes);
    },
    async saveBriefing(briefing) {
      write(() => {
        // A hook may arrive twice.
        const before = last.get(briefing.session, briefing.agent);
        if (before?.source !== briefing.source || before.text !== briefing.text) add.run({ ...briefing });
      });
    },
    async briefings({ session, limit }) {
      return read(() =>
        (session === undefined ? newest.all(limit) : ofSession.all(session, session, limit)).map((row) => ({
          ...row,
          at: toMoment(row.at),
        })),
      );
    },
  };
}
