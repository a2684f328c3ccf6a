// The order of entries in the transcript of a session.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Connection } from '../sqlite/connection.ts';
import { type EntryRow, entryColumns } from './rows.ts';

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

interface SessionFile {
  readonly id: number;
  readonly session_id: number;
  /** 1 if the file belongs to a subagent. */
  readonly ofSubagent: number;
  /** Entries of the session, without those of subagents. */
  readonly entries: number;
  readonly subagents: number;
}
type InFile = { readonly file: number; readonly session: number };

/** The ids of a transcript, in order. */
export interface OrderedIds {
  readonly total: number;
  /** Set if the index knows the order: the session's row. */
  readonly session?: number;
  placeOf(uuid: string): number;
  slice(from: number, limit: number): number[];
}

/** Entries of a session file by file, with history that a fork copied. */
function entriesInFiles(connection: Connection) {
  const sessionFiles = connection.statement<[string, string], SessionFile>(
    `SELECT f.id, s.id AS session_id, f.subagent IS NOT NULL AS ofSubagent, s.entries, s.subagent_entries AS subagents FROM sessions s JOIN file_sessions x ON x.session_id = s.id JOIN files f ON f.id = x.file_id
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

  /** Each entry once, file by file. */
  function inOrder<T extends { uuid: string; subagent: string | null; at: number; gone: number }>(
    files: readonly SessionFile[],
    subagents: boolean,
    rowsIn: (of: InFile) => T[],
  ): T[] {
    const seen = new Map<string, T>();
    for (const { id, session_id } of files)
      for (const row of rowsIn({ file: id, session: session_id }))
        if ((row.subagent === null || subagents) && !seen.has(row.uuid)) seen.set(row.uuid, row);
    return byTime([...seen.values()]);
  }

  return {
    sessionFiles: (agent: AgentName, session: string) => sessionFiles.all(session, agent),
    entriesOf: (files: readonly SessionFile[], subagents: boolean): EntryRow[] =>
      inOrder(files, subagents, (of) => entriesIn.all(of)),
    idsOf: (files: readonly SessionFile[], subagents: boolean) => inOrder(files, subagents, (of) => idsIn.all(of)),
  };
}

export function transcriptOrder(connection: Connection) {
  const { sessionFiles, entriesOf, idsOf } = entriesInFiles(connection);
  const hasCopies = connection.statement<[{ session: number }], number>(
    `SELECT 1 FROM entry_copies WHERE session_id = @session
     UNION ALL SELECT 1 FROM entries INDEXED BY entries_by_session WHERE session_id = @session AND pos < 0 LIMIT 1`,
  );
  const isPlain = (session: number): boolean => hasCopies.get({ session }) === undefined;
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
  /** For entries in one file, the session's row has the count. Counting takes longer than reading a page. */
  function extentOf(files: readonly SessionFile[]): { total: number; files: number } | undefined {
    const [first, ...others] = files.filter(({ ofSubagent }) => ofSubagent === 0);
    if (first !== undefined && others.length === 0) return { total: first.entries, files: 0 };
    return extent.get({ session: files[0]?.session_id ?? -1 });
  }

  return {
    entriesOf: (agent: AgentName, session: string, subagents: boolean): EntryRow[] =>
      entriesOf(sessionFiles(agent, session), subagents),

    /** The session's row, if no entry was copied into it and none is gone from its transcript. */
    plainSession(agent: AgentName, session: string): number | undefined {
      const id = sessionFiles(agent, session)[0]?.session_id;
      return id !== undefined && isPlain(id) ? id : undefined;
    },

    /** For a session in one file without copies, the index knows the order. Otherwise all ids are sorted here. */
    idsOf(agent: AgentName, session: string, subagents: boolean): OrderedIds {
      const files = sessionFiles(agent, session);
      const id = files[0]?.session_id ?? -1;
      const isAlone = !subagents || files.every((file) => file.subagents === 0);
      const simple = isAlone && isPlain(id) ? extentOf(files) : undefined;
      if (simple !== undefined && simple.total > 0 && simple.files === 0)
        return {
          total: simple.total,
          session: id,
          placeOf: (uuid: string) => placeOf.get({ session: id, uuid }) ?? 0,
          slice: (from: number, limit: number) => part.all({ session: id, from, limit }),
        };
      const all = idsOf(files, subagents);
      return {
        total: all.length,
        placeOf: (uuid: string) =>
          Math.max(
            0,
            all.findIndex((one) => one.uuid === uuid),
          ),
        slice: (from: number, limit: number) => all.slice(from, from + limit).map((one) => one.id),
      };
    },
  };
}
