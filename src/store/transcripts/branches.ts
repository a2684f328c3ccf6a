// Finds the entries of a file on abandoned branches: those between a jump back and the line it jumped to.
import type { Connection } from '../sqlite/connection.ts';

interface Jump {
  readonly pos: number;
  readonly joins_at: number;
}

export function branches(connection: Connection) {
  const jumps = connection.statement<[number, number], Jump>(
    `SELECT pos, joins_at FROM entries INDEXED BY entries_that_join WHERE file_id = ? AND joins_at IS NOT NULL
     UNION ALL SELECT pos, joins_at FROM entry_copies WHERE file_id = ? AND joins_at IS NOT NULL ORDER BY pos DESC`,
  );
  const clear = connection.statement('UPDATE entries SET abandoned = 0 WHERE file_id = ? AND abandoned = 1');
  const abandon = connection.statement('UPDATE entries SET abandoned = 1 WHERE file_id = ? AND pos > ? AND pos < ?');

  /** Walks back from the end of the file. Each jump on the way abandons the entries that it skips. */
  return function mark(file: number): void {
    clear.run(file);
    let from = Number.POSITIVE_INFINITY;
    for (const jump of jumps.all(file, file)) {
      // Ignore a jump that was itself skipped.
      if (jump.pos > from) continue;
      abandon.run(file, jump.joins_at, jump.pos);
      from = jump.joins_at;
    }
  };
}
