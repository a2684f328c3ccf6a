// The index of tool uses: one row per entry that used tools, under the entry's id.
import type { Connection } from '../sqlite/connection.ts';
import { indexText } from './index-text.ts';
import { type IndexedUses, indexedUses, mostUses, type UseText } from './tool-text.ts';

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

  /** The index texts of an entry's stored uses; undefined if it has none. */
  function textsOf(id: number): IndexedUses | undefined {
    const found = uses.all(id);
    if (found.length === 0) return undefined;
    const { input, output } = indexedUses(found);
    return { input: indexText(input), output: indexText(output) };
  }

  /** Queues the entry for new vectors. */
  function forgetVectors(id: number): void {
    dropVectors.run(id);
    queue.run(id);
  }

  return {
    textsOf,
    forgetVectors,
    /** Indexes the stored tool uses of these entries again, and queues the entries for new vectors. */
    renew(entries: Iterable<number>): void {
      for (const id of entries) {
        if (isIndexed.get(id) !== undefined) unindex.run(id);
        unmark.run(id);
        const texts = textsOf(id);
        if (texts === undefined) continue;
        index.run(id, texts.input, texts.output);
        forgetVectors(id);
      }
    },
  };
}
