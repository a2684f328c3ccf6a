// Import statistics: one row per quarter of an hour with imports, with amounts and durations but no content.

import { quarterMs } from '../entries/activity.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { Chunk, ChunkOutcome, CommitNote, TranscriptsPort } from './port.ts';

/** Records a batch in the caller's transaction. A stale chunk counts when it is read again. */
export function importNotes(connection: Connection) {
  const add = connection.statement(
    `INSERT INTO imports (quarter, entries, bytes, ms) VALUES (@quarter, @entries, @bytes, @ms)
     ON CONFLICT DO UPDATE SET entries = entries + excluded.entries, bytes = bytes + excluded.bytes, ms = ms + excluded.ms`,
  );
  return (chunks: readonly Chunk[], outcomes: readonly ChunkOutcome[], { at, elapsed }: CommitNote): void => {
    const taken = chunks.filter((_, i) => outcomes[i]?.stale !== true);
    const bytes = taken.reduce((sum, { from, to }) => sum + to - from, 0);
    const entries = outcomes.reduce((sum, { added }) => sum + added, 0);
    if (bytes > 0) add.run({ quarter: Math.floor(at / quarterMs), entries, bytes, ms: Math.round(elapsed()) });
  };
}

export function importRows(connection: Connection): Pick<TranscriptsPort, 'imports'> {
  const { read } = connection;
  const rows = connection.statement<[number], { quarter: number; entries: number; bytes: number; ms: number }>(
    'SELECT * FROM imports WHERE quarter >= ? ORDER BY quarter',
  );
  return {
    async imports(since, dayOf) {
      return read(() => {
        const days = new Map<string, { day: string; entries: number; bytes: number; ms: number }>();
        for (const { quarter, entries, bytes, ms } of rows.all(Math.floor(since / quarterMs))) {
          const day = dayOf(quarter * quarterMs);
          const sum = days.get(day) ?? { day, entries: 0, bytes: 0, ms: 0 };
          days.set(day, { day, entries: sum.entries + entries, bytes: sum.bytes + bytes, ms: sum.ms + ms });
        }
        return [...days.values()];
      });
    },
  };
}
