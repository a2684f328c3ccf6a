// Does jobs again, or not at all: because a person asks, or because the rules of a distiller have changed.
import type { Connection } from '../sqlite/connection.ts';
import { givingBack } from './giving-back.ts';
import type { JobsPort } from './port.ts';
import { type JobRow, select, wanted } from './rows.ts';

export function jobRepeating(connection: Connection): Pick<JobsPort, 'retry' | 'cancel' | 'redo' | 'renewByRules'> {
  const { read, write } = connection;
  const { cancel, makeReady } = givingBack(connection);
  const getFact = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const putFact = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const byId = connection.statement<[number], JobRow>(`${select} WHERE j.id = ?`);

  return {
    async retry(filter, now) {
      return write(() => {
        const { where, values } = wanted({ ...filter, statuses: filter.statuses ?? ['failed', 'cancelled'] });
        const rows = connection.statement(`${select} WHERE 1${where}`).all(...values) as JobRow[];
        for (const { id } of rows) makeReady(id, now);
        return rows.length;
      });
    },
    async cancel(ids, now, reason) {
      return write(() =>
        ids.filter((id) => {
          const row = byId.get(id);
          if (row === undefined || !['ready', 'claimed', 'failed'].includes(row.status)) return false;
          cancel(row, now, reason);
          return true;
        }),
      );
    },
    async redo(filter, now) {
      return write(() => {
        const { where, values } = wanted({ ...filter, statuses: ['done', 'failed', 'cancelled'] });
        const { notBy = [] } = filter;
        const by = notBy.map(() => ' AND j.by IS NOT ?').join('');
        const rows = connection.statement(`${select} WHERE 1${where}${by}`).all(...values, ...notBy) as JobRow[];
        for (const { id } of rows) makeReady(id, now);
        return rows.length;
      });
    },
    async renewByRules(by, rules, now) {
      const name = `distilled by ${by}: rules`;
      if (read(() => getFact.get(name)) === rules) return 0;
      return write(() => {
        const rows = connection.statement(`${select} WHERE j.status = 'done' AND j.by = ?`).all(by) as JobRow[];
        for (const { id } of rows) makeReady(id, now);
        putFact.run(name, rules);
        return rows.length;
      });
    },
  };
}
