// How far a file has been read, and whether it is read again from its start.
import { formatState } from '../../schema/reader-state.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { Chunk } from './port.ts';

export interface FileRow {
  readonly id: number;
  readonly offset: number;
  readonly generation: number;
  readonly sweeping: number;
  readonly shared: number;
}

/**
 * The values of `files.sweeping` while a file is read from its start: what happens to entries that are not found again.
 */
export const sweeps = {
  /** They are marked as gone or deleted: the file was truncated or rewritten. */
  all: 1,
  /** They stay unchanged: the file is the same, only the reader is newer. */
  renewal: 2,
} as const;

/** A file after a step: its row, its generation, and what happens to entries that are not found again. */
export interface Advanced {
  readonly at: FileRow;
  readonly generation: number;
  readonly sweeping: number;
}

const toRow = (chunk: Chunk) => ({
  agent: chunk.agent,
  key: chunk.key,
  subagent: chunk.subagent ?? null,
  to: chunk.to,
  lines: chunk.lines,
  head: chunk.head,
  tail: chunk.tail,
  state: formatState(chunk.state),
  bornAt: chunk.bornAt ?? null,
  malformed: chunk.malformed,
  status: chunk.status,
  error: chunk.error ?? null,
  reader: chunk.reader ?? null,
  last: chunk.last ? 1 : 0,
});

export function fileAdvancing(connection: Connection) {
  const file = connection.statement<[string, string], FileRow>(
    'SELECT id, offset, generation, sweeping, shared FROM files WHERE agent = ? AND key = ?',
  );
  const addFile = connection.statement(
    `INSERT INTO files (agent, key, subagent, offset, lines, head, tail, state, born_at, malformed, status, error, reader)
     VALUES (@agent, @key, @subagent, @to, @lines, @head, @tail, @state, @bornAt, @malformed, @status, @error, coalesce(@reader, 0))`,
  );
  const advanceFile = connection.statement(
    `UPDATE files SET offset = @to, lines = @lines, head = @head, tail = @tail, state = @state, born_at = @bornAt,
       malformed = @malformed, status = @status, error = @error, generation = @generation, sweeping = @sweeping,
       reader = CASE WHEN @last = 1 THEN coalesce(@reader, reader) ELSE reader END WHERE id = @id`,
  );
  const noteCopy = connection.statement(
    'INSERT INTO file_copies (file_id, root, size) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET size = excluded.size',
  );
  // The vault's copy is of the same transcript, so it follows the generation. A transcript that was read from its copy
  // ends where the copy does.
  const followInVault = connection.statement(
    'UPDATE vault_copies SET generation = @generation, offset = coalesce(@size, offset) WHERE file_id = @id AND generation = @before',
  );

  return {
    find: (chunk: Chunk): FileRow | undefined => file.get(chunk.agent, chunk.key),

    advance(chunk: Chunk, before: FileRow | undefined): Advanced {
      const generation = (before?.generation ?? 0) + (before !== undefined && chunk.restart ? 1 : 0);
      const renewing = chunk.renews?.from === 'transcript' && before?.sweeping !== sweeps.all;
      const began = renewing ? sweeps.renewal : sweeps.all;
      const sweeping = before === undefined ? 0 : chunk.restart ? began : before.sweeping;
      const row = toRow(chunk);
      if (before === undefined) addFile.run(row);
      else advanceFile.run({ ...row, id: before.id, generation, sweeping: chunk.last ? 0 : sweeping });
      if (before !== undefined && chunk.restart && chunk.renews !== undefined) {
        const size = chunk.renews.from === 'vault' ? chunk.renews.size : null;
        followInVault.run({ id: before.id, before: before.generation, generation, size });
      }
      const at = file.get(chunk.agent, chunk.key) as FileRow;
      noteCopy.run(at.id, chunk.root, chunk.size);
      return { at, generation, sweeping };
    },
  };
}
