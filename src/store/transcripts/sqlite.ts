// The port of transcripts: how far each file has been read, and the commit that advances it.

import type { AgentName } from '../../schema/agent-name.ts';
import { parseState } from '../../schema/reader-state.ts';
import type { Connection } from '../sqlite/connection.ts';
import { committer } from './commit.ts';
import { importNotes, importRows } from './imports.ts';
import type { FileState, FileStatus, TranscriptsPort } from './port.ts';
import { setAsideRows } from './set-aside.ts';

/** An import commits thousands of rows at a time, a live session a few. */
const manyRows = 500;

interface FileRow {
  id: number;
  agent: AgentName;
  key: string;
  offset: number;
  lines: number;
  head: string;
  tail: string;
  state: string;
  born_at: number | null;
  malformed: number;
  status: FileStatus;
  error: string | null;
  reader: number;
}

export function transcriptsPort(connection: Connection): TranscriptsPort {
  const { read, write, writeMany } = connection;
  const apply = committer(connection);
  const noteImport = importNotes(connection);
  const fileRows = connection.statement<[], FileRow>('SELECT * FROM files');
  const fileRow = connection.statement<[string, string], FileRow>('SELECT * FROM files WHERE agent = ? AND key = ?');
  // The second name is that of earlier versions.
  const privateRows = connection.statement<[string], FileRow>(
    `SELECT * FROM files WHERE agent = ? AND (instr(state, '"privateTurns":') > 0 OR instr(state, '"@turns":') > 0)`,
  );
  const copies = connection.statement<[], { file_id: number; root: string; size: number }>('SELECT * FROM file_copies');
  const copiesOf = connection.statement<[number], { file_id: number; root: string; size: number }>(
    'SELECT * FROM file_copies WHERE file_id = ?',
  );
  const noteCopy = connection.statement(
    `INSERT INTO file_copies (file_id, root, size) SELECT id, @root, @size FROM files WHERE agent = @agent AND key = @key
     ON CONFLICT DO UPDATE SET size = excluded.size`,
  );
  const noteRoot = connection.statement(
    `INSERT INTO file_copies (file_id, root, size) SELECT id, @root, 0 FROM files WHERE agent = @agent AND key = @key
     ON CONFLICT DO NOTHING`,
  );
  const addFailed = connection.statement(
    `INSERT INTO files (agent, key, offset, lines, head, tail, state, malformed, status, error)
     VALUES (@agent, @key, 0, 0, '', '', '{}', 0, 'failed', @error)
     ON CONFLICT (agent, key) DO UPDATE SET status = 'failed', error = excluded.error`,
  );

  const { setAsides, setAside, takeBack } = setAsideRows(connection);
  const { imports } = importRows(connection);
  return {
    setAsides,
    setAside,
    takeBack,
    imports,
    async states(agent) {
      return read(() => {
        const byFile = groupCopies(copies.all());
        const rows = fileRows.all().filter((row) => agent === undefined || row.agent === agent);
        return rows.map((row) => toState(row, byFile.get(row.id) ?? []));
      });
    },
    async privateStates(agent) {
      return read(() => privateRows.all(agent).map((row) => toState(row, copiesOf.all(row.id))));
    },
    async state(agent, key) {
      return read(() => {
        const row = fileRow.get(agent, key);
        return row === undefined ? undefined : toState(row, copiesOf.all(row.id));
      });
    },
    async commit(chunks, rules, note) {
      const rows = chunks.reduce((sum, { entries, results }) => sum + entries.length + results.length, 0);
      return (rows > manyRows ? writeMany : write)(() => {
        const outcomes = apply(chunks, rules);
        if (note !== undefined) noteImport(chunks, outcomes, note);
        return outcomes;
      });
    },
    async noteCopies(seen) {
      if (seen.length === 0) return;
      write(() => {
        for (const copy of seen) noteCopy.run(copy);
      });
    },
    async noteFailure(agent, key, root, error) {
      write(() => {
        addFailed.run({ agent, key, error });
        noteRoot.run({ agent, key, root });
      });
    },
  };
}

const toState = (row: FileRow, seen: readonly { root: string; size: number }[]): FileState => ({
  agent: row.agent,
  key: row.key,
  offset: row.offset,
  lines: row.lines,
  head: row.head,
  tail: row.tail,
  state: parseState(row.state),
  bornAt: row.born_at ?? undefined,
  malformed: row.malformed,
  status: row.status,
  error: row.error ?? undefined,
  reader: row.reader,
  copies: new Map(seen.map((copy) => [copy.root, copy.size])),
});

function groupCopies<T extends { file_id: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(row.file_id);
    if (group === undefined) groups.set(row.file_id, [row]);
    else group.push(row);
  }
  return groups;
}
