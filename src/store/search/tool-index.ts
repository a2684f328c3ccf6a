// The index of tool uses: one row per entry that used tools, under the entry's id.
import type { Connection } from '../sqlite/connection.ts';
import { indexText } from './index-text.ts';
import { indexedUses, type UseText } from './tool-text.ts';

/** Uses beyond this number in one entry are not indexed; the transcript still has them. */
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
     * Indexes the stored tool uses of these entries, and queues the entries for new vectors. Entries added in the same
     * transaction (`fresh`) have nothing to remove first.
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
