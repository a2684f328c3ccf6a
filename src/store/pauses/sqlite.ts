// The port of pauses: periods in which nothing is kept.
import type { Connection } from '../sqlite/connection.ts';
import { type BegunPause, coveredBy, type PauseNow } from './pause-times.ts';
import type { Pause, PausesPort } from './port.ts';

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

export function pausesPort(connection: Connection): PausesPort {
  const { read, write } = connection;
  const all = connection.statement<[], Row>('SELECT * FROM pauses ORDER BY id');
  const running = connection.statement<[], Row>('SELECT * FROM pauses WHERE until_at IS NULL');
  const add = connection.statement(
    `INSERT INTO pauses (from_at, until_at, boot, running_ms, seen_at)
     VALUES (@from, @until, @boot, @ms, iif(@until IS NULL, (SELECT max(ended_at) FROM sessions), NULL))`,
  );
  const end = connection.statement(
    'UPDATE pauses SET from_at = ?, until_at = ?, boot = NULL, running_ms = NULL, seen_at = NULL WHERE id = ?',
  );
  return {
    async list(now) {
      return read(() =>
        all
          .all()
          .flatMap((row) => (now === undefined || row.until_at !== null ? [toPause(row)] : coveredBy(begun(row), now))),
      );
    },
    async start({ at, running: began }: PauseNow) {
      return write(() => {
        if (running.get() === undefined)
          add.run({ from: at, until: null, boot: began?.boot ?? null, ms: began?.ms ?? null });
        return toPause(running.get() as Row);
      });
    },
    async end(now) {
      return write(() => {
        const row = running.get();
        if (row === undefined) return undefined;
        const stretches = coveredBy(begun(row), now);
        const last = stretches.at(-1) as Pause;
        // If the clock was set back, the pause must not end before it began.
        const until = Math.max(now.at, last.from);
        end.run(last.from, until, row.id);
        for (const { from, until: to } of stretches.slice(0, -1)) add.run({ from, until: to, boot: null, ms: null });
        return { from: last.from, until };
      });
    },
  };
}
