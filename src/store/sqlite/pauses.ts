// Stretches of time in which nothing is kept.
import type { Database } from 'better-sqlite3';
import { type BegunPause, coveredBy, type PauseNow } from '../pause-times.ts';
import type { Pause, Store } from '../store.ts';

type Run = <T>(work: () => T) => T;

interface Row {
  readonly id: number;
  readonly from_at: number;
  readonly until_at: number | null;
  readonly boot: string | null;
  readonly running_ms: number | null;
  readonly seen_at: number | null;
}

const toPause = (row: Row): Pause => ({ from: row.from_at, until: row.until_at ?? undefined });

const begun = ({ from_at, boot, running_ms, seen_at }: Row): BegunPause => ({
  from: from_at,
  began: boot === null || running_ms === null ? undefined : { boot, ms: running_ms },
  seen: seen_at ?? undefined,
});

export function pauseRows(db: Database, read: Run, write: Run): Pick<Store, 'pauses' | 'startPause' | 'endPause'> {
  const all = db.prepare<[], Row>('SELECT * FROM pauses ORDER BY id');
  const running = db.prepare<[], Row>('SELECT * FROM pauses WHERE until_at IS NULL');
  const add = db.prepare(
    `INSERT INTO pauses (from_at, until_at, boot, running_ms, seen_at)
     VALUES (@from, @until, @boot, @ms, iif(@until IS NULL, (SELECT max(ended_at) FROM sessions), NULL))`,
  );
  const end = db.prepare(
    'UPDATE pauses SET from_at = ?, until_at = ?, boot = NULL, running_ms = NULL, seen_at = NULL WHERE id = ?',
  );
  return {
    async pauses(now) {
      return read(() =>
        all
          .all()
          .flatMap((row) => (now === undefined || row.until_at !== null ? [toPause(row)] : coveredBy(begun(row), now))),
      );
    },
    async startPause({ at, running: began }: PauseNow) {
      return write(() => {
        if (running.get() === undefined)
          add.run({ from: at, until: null, boot: began?.boot ?? null, ms: began?.ms ?? null });
        return toPause(running.get() as Row);
      });
    },
    async endPause(now) {
      return write(() => {
        const row = running.get();
        if (row === undefined) return undefined;
        const stretches = coveredBy(begun(row), now);
        const last = stretches.at(-1) as Pause;
        // A clock that was set back must not make the pause end before it began.
        const until = Math.max(now.at, last.from);
        end.run(last.from, until, row.id);
        for (const { from, until: to } of stretches.slice(0, -1)) add.run({ from, until: to, boot: null, ms: null });
        return { from: last.from, until };
      });
    },
  };
}
