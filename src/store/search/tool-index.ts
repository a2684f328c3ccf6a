// The index of tool uses: one row for each entry that used tools, under the entry's id.
import type { Connection } from '../sqlite/connection.ts';
import { indexText } from './index-text.ts';
import { indexedUses, type UseText } from './tool-text.ts';

/** More uses than this in one entry are in the transcript, not in the index. */
const mostUses = 200;

export function toolIndex(connection: Connection) {
  const uses = connection.statement<[number], UseText>(
    `SELECT tool, input, output FROM tool_uses WHERE entry_id = ? ORDER BY id LIMIT ${mostUses}`,
  );
  const isIndexed = connection.statement<[number], number>('SELECT 1 FROM uses_fts_docsize WHERE id = ?').pluck();
  const unindex = connection.statement('DELETE FROM uses_fts WHERE rowid = ?');
  const index = connection.statement('INSERT INTO uses_fts (rowid, input, output) VALUES (?, ?, ?)');
  const dropVectors = connection.statement('DELETE FROM vectors WHERE kind = 0 AND subject_id = ?');
  const queue = connection.statement(
    'INSERT INTO vector_queue VALUES (0, ?, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp',
  );
  const unmark = connection.statement('DELETE FROM unindexed_uses WHERE entry_id = ?');

  return {
    /**
     * Indexes what the tools of these entries did, as it is stored now, and asks for other vectors of them. Of entries that were added in the
     * same transaction (`fresh`) there is nothing to take back.
     */
    renew(entries: Iterable<number>, fresh?: ReadonlySet<number>): void {
      for (const id of entries) {
        const isFresh = fresh?.has(id) === true;
        if (!isFresh && isIndexed.get(id) !== undefined) unindex.run(id);
        if (!isFresh) unmark.run(id);
        const found = uses.all(id);
        if (found.length === 0) continue;
        const { input, output } = indexedUses(found);
        index.run(id, indexText(input), indexText(output));
        if (!isFresh) dropVectors.run(id);
        queue.run(id);
      }
    },
  };
}
