// Stretches of time in which nothing is kept.
import type { Database } from 'better-sqlite3';
import type { Pause, Store } from '../store.ts';

type Run = <T>(work: () => T) => T;

interface Row {
  readonly id: number;
  readonly from_at: number;
  readonly until_at: number | null;
}

const toPause = (row: Row): Pause => ({ from: row.from_at, until: row.until_at ?? undefined });

export function pauseRows(db: Database, read: Run, write: Run): Pick<Store, 'pauses' | 'startPause' | 'endPause'> {
  const all = db.prepare<[], Row>('SELECT * FROM pauses ORDER BY id');
  const running = db.prepare<[], Row>('SELECT * FROM pauses WHERE until_at IS NULL');
  const add = db.prepare('INSERT INTO pauses (from_at) VALUES (?)');
  const end = db.prepare('UPDATE pauses SET until_at = ? WHERE id = ?');
  return {
    async pauses() {
      return read(() => all.all().map(toPause));
    },
    async startPause(at) {
      return write(() => {
        if (running.get() === undefined) add.run(at);
        return toPause(running.get() as Row);
      });
    },
    async endPause(at) {
      return write(() => {
        const row = running.get();
        if (row === undefined) return undefined;
        // A clock that was set back must not make the pause end before it began.
        const until = Math.max(at, row.from_at);
        end.run(until, row.id);
        return { from: row.from_at, until };
      });
    },
  };
}
