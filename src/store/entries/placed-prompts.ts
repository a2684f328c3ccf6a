// The prompts of a session, each with its index in the transcript.

import { toMoment } from '../../schema/time.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { EntriesPort, PromptsWanted } from './port.ts';
import { transcriptOrder } from './transcript-order.ts';

interface Row {
  readonly id: string;
  readonly at: number;
  readonly text: string;
}

/** Behind the last position of any transcript. */
const end = 9e15;

export function placedPrompts(connection: Connection): Pick<EntriesPort, 'promptsOf'> {
  const { idsOf } = transcriptOrder(connection);
  const ordered = (order: 'ASC' | 'DESC') => ({
    byId: connection.statement<{ ids: string; characters: number; limit: number }, Row & { place: number }>(
      `SELECT e.uuid AS id, e.at, j.key AS place, substr(e.text, 1, @characters) AS text
       FROM json_each(@ids) j JOIN entries e ON e.id = j.value
       WHERE e.author = 'person' AND e.abandoned = 0 ORDER BY j.key ${order} LIMIT @limit`,
    ),
    inSession: connection.statement<
      { session: number; after: number; before: number; characters: number; limit: number },
      Row & { pos: number }
    >(
      `SELECT e.uuid AS id, e.at, e.pos, substr(e.text, 1, @characters) AS text FROM entries e INDEXED BY entries_by_person
       WHERE e.session_id = @session AND e.pos > @after AND e.pos < @before AND e.author = 'person' AND e.subagent IS NULL
       AND e.abandoned = 0 ORDER BY e.pos ${order} LIMIT @limit`,
    ),
  });
  const [firstOnes, lastOnes] = [ordered('ASC'), ordered('DESC')];
  const own = 'e.session_id = @session AND (e.subagent IS NOT NULL) = 0';
  const positions = connection
    .statement<{ session: number; from: number; to: number }, number>(
      `SELECT e.pos FROM entries e INDEXED BY entries_by_session
       WHERE ${own} AND e.pos >= @from AND e.pos <= @to ORDER BY e.pos`,
    )
    .pluck();
  const countBefore = connection
    .statement<{ session: number; pos: number }, number>(
      `SELECT count(*) FROM entries e INDEXED BY entries_by_session WHERE ${own} AND e.pos < @pos`,
    )
    .pluck();
  const positionAt = connection
    .statement<{ session: number; place: number }, number>(
      `SELECT e.pos FROM entries e INDEXED BY entries_by_session WHERE ${own} ORDER BY e.pos LIMIT 1 OFFSET @place`,
    )
    .pluck();

  /** From the index of prompts, without reading the other entries. */
  function fromIndex(session: number, { characters, limit, after, before }: PromptsWanted) {
    const { inSession } = before === undefined ? firstOnes : lastOnes;
    const range = {
      after: after === undefined ? -1 : (positionAt.get({ session, place: after }) ?? end),
      before: before === undefined ? end : (positionAt.get({ session, place: before }) ?? end),
    };
    const found = inSession.all({ session, ...range, characters, limit });
    const [from, to] = [Math.min(...found.map(({ pos }) => pos)), Math.max(...found.map(({ pos }) => pos))];
    if (found.length === 0) return [];
    const first = countBefore.get({ session, pos: from }) ?? 0;
    const places = new Map(positions.all({ session, from, to }).map((pos, i) => [pos, first + i]));
    return found.map(({ pos, ...row }) => ({ ...row, place: places.get(pos) ?? 0 }));
  }

  function fromIds(ids: readonly number[], { characters, limit, after, before }: PromptsWanted) {
    const { byId } = before === undefined ? firstOnes : lastOnes;
    const from = after === undefined ? 0 : after + 1;
    const found = byId.all({ ids: JSON.stringify(ids.slice(from, before)), characters, limit });
    return found.map(({ place, ...row }) => ({ ...row, place: from + place }));
  }

  return {
    async promptsOf(agent, session, wanted) {
      return connection.read(() => {
        const ids = idsOf(agent, session, false);
        const rows =
          ids.session === undefined ? fromIds(ids.slice(0, ids.total), wanted) : fromIndex(ids.session, wanted);
        return rows.map((row) => ({ ...row, at: toMoment(row.at) })).sort((a, b) => a.place - b.place);
      });
    },
  };
}
