// Ready jobs that wait for something other than time: the budget, or the model.
import type { Connection } from '../sqlite/connection.ts';
import type { JobsPort } from './port.ts';

export function jobWaits(connection: Connection): Pick<JobsPort, 'defer' | 'undefer' | 'endWaits'> {
  const { read, write } = connection;
  const defer = connection.statement(
    "UPDATE jobs SET not_before = @until, waits_for = @reason WHERE status = 'ready' AND not_before < @until",
  );
  const undefer = connection.statement(
    "UPDATE jobs SET not_before = 0, waits_for = NULL WHERE status = 'ready' AND waits_for IS NOT NULL",
  );
  const endWait = connection.statement(
    "UPDATE jobs SET not_before = 0, waits_for = NULL WHERE status = 'ready' AND waits_for = ?",
  );
  const fact = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const setFact = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );

  return {
    async defer(until, reason) {
      return write(() => defer.run({ until, reason }).changes);
    },
    async undefer(settings) {
      const name = 'distilling settings';
      if (read(() => fact.get(name)) === settings) return 0;
      return write(() => {
        setFact.run(name, settings);
        return undefer.run().changes;
      });
    },
    async endWaits(reason) {
      return write(() => endWait.run(reason).changes);
    },
  };
}
