// The cost of calls to models, and whether the budget allows another.
import type { Connection } from '../sqlite/connection.ts';
import type { JobsPort, Spent } from './port.ts';

interface Row {
  at: number;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  instead_of: number;
}

/** Records spending in the caller's transaction. */
export function spender(connection: Connection) {
  const add = connection.statement(
    `INSERT INTO spending (at, session_id, kind, model, calls, input_tokens, output_tokens, instead_of)
     VALUES (@now, (SELECT id FROM sessions WHERE session = @session AND agent = @agent), @kind, @model, @calls, @input, @output, @insteadOf)`,
  );
  return ({ agent, session, kind, model, usage, insteadOf }: Spent, now: number): void => {
    if (usage.calls > 0) add.run({ now, agent, session, kind, model, ...usage, insteadOf });
  };
}

export function spendingRows(connection: Connection): Pick<JobsPort, 'reserveTokens' | 'spending'> {
  const { read, write } = connection;
  const sum = 'coalesce(sum(input_tokens + output_tokens), 0)';
  const spentSince = connection.statement<[number], number>(`SELECT ${sum} FROM spending WHERE at >= ?`).pluck();
  const spentOn = connection.statement<[number], number>(`SELECT ${sum} FROM spending WHERE session_id = ?`).pluck();
  // Reservations of other live processes count as well.
  const reserved = connection
    .statement<[number], number>(
      "SELECT coalesce(sum(reserved), 0) FROM jobs WHERE status = 'claimed' AND lease_until > ?",
    )
    .pluck();
  const reservedOn = connection
    .statement<[number, number], number>(
      "SELECT coalesce(sum(reserved), 0) FROM jobs WHERE status = 'claimed' AND lease_until > ? AND session_id = ?",
    )
    .pluck();
  const sessionOf = connection.statement<[number], number>('SELECT session_id FROM jobs WHERE id = ?').pluck();
  const reserve = connection.statement('UPDATE jobs SET reserved = ? WHERE id = ?');
  const rows = connection.statement<[number], Row>('SELECT * FROM spending WHERE at >= ? ORDER BY at');

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
        const groups = new Map<string, Awaited<ReturnType<JobsPort['spending']>>[number]>();
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
