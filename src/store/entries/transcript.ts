// The entries of a session in the order of its transcript: all, or a page.

import type { Connection } from '../sqlite/connection.ts';
import type { EntriesPort } from './port.ts';
import { type EntryRow, entryColumns, toEntry } from './rows.ts';
import { transcriptOrder } from './transcript-order.ts';

export function transcripts(connection: Connection): Pick<EntriesPort, 'transcript' | 'order' | 'page'> {
  const { read: run } = connection;
  const { entriesOf, idsOf } = transcriptOrder(connection);
  const entriesById = connection.statement<[string], EntryRow>(
    `SELECT ${entryColumns} FROM json_each(?) j JOIN entries e ON e.id = j.value JOIN sessions s ON s.id = e.session_id ORDER BY j.key`,
  );

  return {
    async transcript(agent, session, { subagents = false } = {}) {
      return run(() => entriesOf(agent, session, subagents).map(toEntry));
    },
    async order(agent, session, { subagents = false } = {}) {
      return run(() => {
        const ids = idsOf(agent, session, subagents);
        return ids.slice(0, ids.total);
      });
    },
    async page(agent, session, { subagents = false, around, from = 0, limit }) {
      return run(() => {
        const ids = idsOf(agent, session, subagents);
        const start = around === undefined ? from : Math.max(0, ids.placeOf(around) - Math.floor(limit / 2));
        const wanted = ids.slice(start, limit);
        return { total: ids.total, from: start, entries: entriesById.all(JSON.stringify(wanted)).map(toEntry) };
      });
    },
  };
}
