// Forgets items. One transaction removes the rows and records the traces
// outside the database; the next process to come clears those.

import type { Connection } from '../sqlite/connection.ts';
import { forgetLookup } from './forget-lookup.ts';
import { type Forgetter, forgetters } from './forget-rows.ts';
import { useRows } from './forget-use.ts';
import type { Forgettable, Forgotten, ForgottenTraces, RemovalPort } from './port.ts';

/** Records traces outside the database, to be cleared from `notBefore` on. */
export function traceNoting(connection: Connection) {
  const add = connection.statement('INSERT INTO forgetting (traces, not_before) VALUES (?, ?)');
  return (traces: ForgottenTraces, notBefore = 0): void => {
    add.run(JSON.stringify(traces), notBefore);
  };
}

type Counts = Forgotten['removed'];

const difference = (before: Counts, after: Counts): Counts => ({
  sessions: before.sessions - after.sessions,
  entries: before.entries - after.entries,
  toolUses: before.toolUses - after.toolUses,
  observations: before.observations - after.observations,
  summaries: before.summaries - after.summaries,
  briefings: before.briefings - after.briefings,
  pins: before.pins - after.pins,
});

export function forgetting(
  connection: Connection,
): Pick<RemovalPort, 'forget' | 'unfinishedForgetting' | 'finishForgetting'> {
  const { read, write } = connection;
  const begin = forgetters(connection);
  const { entryNamed, sessionNamed, distilledNamed } = forgetLookup(connection);
  const { named: useNamed } = useRows(connection);
  const count = (table: string) => `(SELECT count(*) FROM ${table})`;
  const counts = connection.statement<[], Counts>(
    `SELECT ${count('sessions')} AS sessions, ${count('entries')} AS entries, ${count('tool_uses')} AS "toolUses",
       ${count('observations')} AS observations, ${count('summaries')} AS summaries, ${count('briefings')} AS briefings, ${count('pins')} AS pins`,
  );
  const noteTraces = traceNoting(connection);
  const unfinished = connection.statement<[number], { id: number; traces: string }>(
    'SELECT id, traces FROM forgetting WHERE not_before <= ? ORDER BY id',
  );
  const finish = connection.statement('DELETE FROM forgetting WHERE id = ?');

  function find(item: Forgettable): ((todo: Forgetter) => void) | undefined {
    if (item.kind === 'session') {
      const id = sessionNamed(item.agent, item.id);
      return id === undefined ? undefined : (todo) => todo.session(id);
    }
    if (item.kind === 'entry') {
      const entry = entryNamed(item.agent, item.id);
      return entry && ((todo) => todo.entry(entry));
    }
    if (item.kind === 'tool use') {
      const entry = entryNamed(item.agent, item.entry);
      const use = useNamed(item.agent, item.entry, item.id);
      return entry && use && ((todo) => todo.use(use, entry));
    }
    const { kind } = item;
    const row = distilledNamed(kind, item.id);
    return row && ((todo) => todo.distilled(kind, row));
  }

  return {
    async forget(item, { rules, now, dryRun = false }) {
      // Free pages of the file must not keep the removed data.
      connection.db.pragma('secure_delete = ON');
      let result: Forgotten | undefined;
      const undo = new Error('only tried');
      try {
        write(() => {
          const act = find(item);
          if (act === undefined) return;
          const before = counts.get() as Counts;
          const todo = begin(now);
          act(todo);
          const { traces, busyUntil } = todo.settle(rules);
          const after = counts.get() as Counts;
          result = { removed: difference(before, after), traces };
          if (dryRun) throw undo;
          noteTraces(traces);
          // A process is reading one of the conversations now, and may store
          // what it says: clear the traces again later.
          if (busyUntil > now) noteTraces(traces, busyUntil);
        });
      } catch (error) {
        if ((error as { cause?: unknown }).cause !== undo && error !== undo) throw error;
      }
      return result;
    },
    async unfinishedForgetting(now) {
      return read(() =>
        unfinished.all(now).map(({ id, traces }) => ({ id, traces: JSON.parse(traces) as ForgottenTraces })),
      );
    },
    async finishForgetting(ids) {
      if (ids.length === 0) return;
      write(() => {
        for (const id of ids) finish.run(id);
      });
    },
  };
}
