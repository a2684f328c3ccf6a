// What calls to models have cost, and whether the budget allows another.
import type { Database } from 'better-sqlite3';
import type { Spent } from '../jobs.ts';
import type { Store } from '../store.ts';

interface Row {
  at: number;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  instead_of: number;
}

type Run = <T>(work: () => T) => T;

/** Notes what was spent, in the caller's transaction. */
export function spender(db: Database) {
  const add = db.prepare(
    `INSERT INTO spending (at, session_id, kind, model, calls, input_tokens, output_tokens, instead_of)
     VALUES (@now, (SELECT id FROM sessions WHERE session = @session AND agent = @agent), @kind, @model, @calls, @input, @output, @insteadOf)`,
  );
  return ({ agent, session, kind, model, usage, insteadOf }: Spent, now: number): void => {
    if (usage.calls > 0) add.run({ now, agent, session, kind, model, ...usage, insteadOf });
  };
}

export function spendingRows(db: Database, read: Run, write: Run): Pick<Store, 'reserveTokens' | 'spending'> {
  const sum = 'coalesce(sum(input_tokens + output_tokens), 0)';
  const spentSince = db.prepare<[number], number>(`SELECT ${sum} FROM spending WHERE at >= ?`).pluck();
  const spentOn = db.prepare<[number], number>(`SELECT ${sum} FROM spending WHERE session_id = ?`).pluck();
  // What others are about to spend counts as well, as long as they live.
  const reserved = db
    .prepare<[number], number>(
      "SELECT coalesce(sum(reserved), 0) FROM jobs WHERE status = 'claimed' AND lease_until > ?",
    )
    .pluck();
  const reservedOn = db
    .prepare<[number, number], number>(
      "SELECT coalesce(sum(reserved), 0) FROM jobs WHERE status = 'claimed' AND lease_until > ? AND session_id = ?",
    )
    .pluck();
  const sessionOf = db.prepare<[number], number>('SELECT session_id FROM jobs WHERE id = ?').pluck();
  const reserve = db.prepare('UPDATE jobs SET reserved = ? WHERE id = ?');
  const rows = db.prepare<[number], Row>('SELECT * FROM spending WHERE at >= ? ORDER BY at');

  return {
    async reserveTokens(job, tokens, { dayStart, perDay, perSession }, now) {
      return write(() => {
        reserve.run(0, job);
        const session = sessionOf.get(job) ?? 0;
        const today = (spentSince.get(dayStart) ?? 0) + (reserved.get(now) ?? 0);
        if (today + tokens > perDay) return 'day';
        if ((spentOn.get(session) ?? 0) + (reservedOn.get(now, session) ?? 0) + tokens > perSession) return 'session';
        reserve.run(tokens, job);
        return 'ok';
      });
    },
    async spending(since, dayOf) {
      return read(() => {
        const groups = new Map<string, Awaited<ReturnType<Store['spending']>>[number]>();
        for (const row of rows.all(since)) {
          const day = dayOf(row.at);
          const key = `${day} ${row.model}`;
          const group = groups.get(key);
          groups.set(key, {
            day,
            model: row.model,
            calls: (group?.calls ?? 0) + row.calls,
            inputTokens: (group?.inputTokens ?? 0) + row.input_tokens,
            outputTokens: (group?.outputTokens ?? 0) + row.output_tokens,
            insteadOf: (group?.insteadOf ?? 0) + row.instead_of,
          });
        }
        return [...groups.values()];
      });
    },
  };
}
