// The entries of a session in the order of its transcript: all, or a page.

import { toMoment } from '../../schema/time.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { EntriesPort } from './port.ts';
import { type EntryRow, entryColumns, toEntry } from './rows.ts';
import { transcriptOrder } from './transcript-order.ts';

export function transcripts(connection: Connection): Pick<EntriesPort, 'transcript' | 'order' | 'page' | 'promptsOf'> {
  const { read: run } = connection;
  const { entriesOf, idsOf } = transcriptOrder(connection);
  const entriesById = connection.statement<[string], EntryRow>(
    `SELECT ${entryColumns} FROM json_each(?) j JOIN entries e ON e.id = j.value JOIN sessions s ON s.id = e.session_id ORDER BY j.key`,
  );
  const promptsById = connection.statement<
    { ids: string; characters: number; limit: number },
    { id: string; at: number; place: number; text: string }
  >(
    `SELECT e.uuid AS id, e.at, j.key AS place, substr(e.text, 1, @characters) AS text FROM json_each(@ids) j JOIN entries e ON e.id = j.value
     WHERE e.author = 'person' AND e.abandoned = 0 ORDER BY j.key LIMIT @limit`,
  );

  const promptsIn = connection.statement<
    { session: number; characters: number; limit: number },
    { id: string; at: number; pos: number; text: string }
  >(
    `SELECT e.uuid AS id, e.at, e.pos, substr(e.text, 1, @characters) AS text FROM entries e INDEXED BY entries_by_person
     WHERE e.session_id = @session AND e.author = 'person' AND e.subagent IS NULL AND e.abandoned = 0 ORDER BY e.pos LIMIT @limit`,
  );
  const positions = connection
    .statement<{ session: number; to: number }, number>(
      `SELECT e.pos FROM entries e INDEXED BY entries_by_session
       WHERE e.session_id = @session AND (e.subagent IS NOT NULL) = 0 AND e.pos <= @to ORDER BY e.pos`,
    )
    .pluck();

  /** From the index of prompts, without reading the other entries. */
  function promptsOfOne(session: number, limits: { characters: number; limit: number }) {
    const found = promptsIn.all({ session, ...limits });
    const places = new Map(positions.all({ session, to: found.at(-1)?.pos ?? -1 }).map((pos, place) => [pos, place]));
    return found.map(({ pos, ...row }) => ({ ...row, place: places.get(pos) ?? 0 }));
  }

  return {
    async transcript(agent, session, { subagents = false } = {}) {
      return run(() => entriesOf(agent, session, subagents).map(toEntry));
    },
    async order(agent, session, { subagents = false, used = false } = {}) {
      return run(() => {
        const ids = idsOf(agent, session, subagents);
        return used ? ids.used() : ids.slice(0, ids.total);
      });
    },
    async promptsOf(agent, session, { characters, limit }) {
      return run(() => {
        const ids = idsOf(agent, session, false);
        const rows =
          ids.session !== undefined
            ? promptsOfOne(ids.session, { characters, limit })
            : promptsById.all({ ids: JSON.stringify(ids.slice(0, ids.total)), characters, limit });
        return rows.map(({ at, ...row }) => ({ ...row, at: toMoment(at) }));
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
