// The entries of a session in the order of its transcript: all, or a page.

import type { AgentName } from '../../schema/agent-name.ts';
import { toMoment } from '../../schema/time.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { EntriesPort } from './port.ts';
import { type EntryRow, entryColumns, toEntry } from './rows.ts';

/** Entries that the transcript no longer contains have no position in it. Each goes before the first newer entry. */
function byTime<T extends { readonly at: number; readonly gone: number }>(rows: T[]): T[] {
  const gone = rows.filter((row) => row.gone === 1);
  if (gone.length === 0) return rows;
  gone.sort((a, b) => a.at - b.at);
  const ordered: T[] = [];
  for (const row of rows.filter((one) => one.gone === 0)) {
    while (gone[0] !== undefined && gone[0].at <= row.at) ordered.push(gone.shift() as T);
    ordered.push(row);
  }
  return [...ordered, ...gone];
}

type SessionFile = { readonly id: number; readonly session_id: number; readonly subagents: number };
type InFile = { readonly file: number; readonly session: number };

export function transcripts(connection: Connection): Pick<EntriesPort, 'transcript' | 'order' | 'page' | 'promptsOf'> {
  const { read: run } = connection;
  const sessionFiles = connection.statement<[string, string], SessionFile>(
    `SELECT f.id, s.id AS session_id, s.subagent_entries AS subagents FROM sessions s JOIN file_sessions x ON x.session_id = s.id JOIN files f ON f.id = x.file_id
     WHERE s.session = ? AND s.agent = ? ORDER BY f.subagent IS NOT NULL, f.born_at, f.key`,
  );
  const inFile = (columns: string) =>
    `SELECT ${columns}, e.pos AS place FROM entries e JOIN sessions s ON s.id = e.session_id
     WHERE e.file_id = @file AND e.session_id = @session
     UNION ALL
     SELECT ${columns}, c.pos AS place FROM entry_copies c JOIN entries e ON e.id = c.entry_id JOIN sessions s ON s.id = e.session_id
     WHERE c.file_id = @file AND c.session_id = @session ORDER BY place`;
  const entriesIn = connection.statement<InFile, EntryRow>(inFile(entryColumns));
  const idsIn = connection.statement<
    InFile,
    { id: number; uuid: string; subagent: string | null; at: number; gone: number }
  >(inFile('e.id, e.uuid, e.subagent, e.at, e.gone'));
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
  const hasCopies = connection.statement<[{ session: number }], number>(
    `SELECT 1 FROM entry_copies WHERE session_id = @session
     UNION ALL SELECT 1 FROM entries INDEXED BY entries_by_session WHERE session_id = @session AND pos < 0 LIMIT 1`,
  );
  const own = 'e.session_id = @session AND (e.subagent IS NOT NULL) = 0';
  const extent = connection.statement<[{ session: number }], { total: number; files: number }>(
    `SELECT count(*) AS total, max(e.file_id) - min(e.file_id) AS files FROM entries e INDEXED BY entries_by_session WHERE ${own}`,
  );
  const placeOf = connection
    .statement<[{ session: number; uuid: string }], number>(
      `SELECT count(*) FROM entries e INDEXED BY entries_by_session
       WHERE ${own} AND e.pos < (SELECT pos FROM entries WHERE uuid = @uuid AND session_id = @session AND subagent IS NULL)`,
    )
    .pluck();
  const part = connection
    .statement<[{ session: number; from: number; limit: number }], number>(
      `SELECT e.id FROM entries e INDEXED BY entries_by_session WHERE ${own} ORDER BY e.pos LIMIT @limit OFFSET @from`,
    )
    .pluck();

  /** Each entry once, file by file. */
  function inOrder<T extends { uuid: string; subagent: string | null; at: number; gone: number }>(
    files: readonly { id: number; session_id: number }[],
    subagents: boolean,
    rowsIn: (of: InFile) => T[],
  ): T[] {
    const seen = new Map<string, T>();
    for (const { id, session_id } of files)
      for (const row of rowsIn({ file: id, session: session_id }))
        if ((row.subagent === null || subagents) && !seen.has(row.uuid)) seen.set(row.uuid, row);
    return byTime([...seen.values()]);
  }

  /** For a session in one file without copies, the index knows the order. Otherwise all ids are sorted here. */
  function idsOf(agent: AgentName, session: string, subagents: boolean) {
    const files = sessionFiles.all(session, agent);
    const id = files[0]?.session_id ?? -1;
    const isAlone = !subagents || files.every((file) => file.subagents === 0);
    const simple = isAlone && hasCopies.get({ session: id }) === undefined ? extent.get({ session: id }) : undefined;
    if (simple !== undefined && simple.total > 0 && simple.files === 0)
      return {
        total: simple.total,
        placeOf: (uuid: string) => placeOf.get({ session: id, uuid }) ?? 0,
        slice: (from: number, limit: number) => part.all({ session: id, from, limit }),
      };
    const all = inOrder(files, subagents, (of) => idsIn.all(of));
    return {
      total: all.length,
      placeOf: (uuid: string) =>
        Math.max(
          0,
          all.findIndex((one) => one.uuid === uuid),
        ),
      slice: (from: number, limit: number) => all.slice(from, from + limit).map((one) => one.id),
    };
  }

  return {
    async transcript(agent, session, { subagents = false } = {}) {
      return run(() => inOrder(sessionFiles.all(session, agent), subagents, (of) => entriesIn.all(of)).map(toEntry));
    },
    async order(agent, session, { subagents = false } = {}) {
      return run(() => {
        const ids = idsOf(agent, session, subagents);
        return ids.slice(0, ids.total);
      });
    },
    async promptsOf(agent, session, { characters, limit }) {
      return run(() => {
        const ids = idsOf(agent, session, false);
        const all = JSON.stringify(ids.slice(0, ids.total));
        return promptsById.all({ ids: all, characters, limit }).map(({ at, ...row }) => ({ ...row, at: toMoment(at) }));
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
