// Index rows of new entries, written together at the end of a transaction. FTS5 writes what it has collected to disk whenever a statement
// begins that could be undone, so index rows between such statements would leave hundreds of small segments, which it then merges.
import type { IndexedUses } from '../search/tool-text.ts';
import type { Connection } from '../sqlite/connection.ts';

export interface IndexLater {
  entry(id: number, text: string): void;
  /** Replaces what was said before about the same entry. */
  uses(id: number, texts: IndexedUses): void;
  /** Whether the uses of this entry are not in the index yet. */
  hasUses(id: number): boolean;
  /** Call it at the end of the transaction, and before anything that removes entries. */
  write(): void;
  /** The transaction was undone. */
  drop(): void;
}

export function indexLater(connection: Connection): IndexLater {
  const addEntry = connection.statement('INSERT INTO entries_fts (rowid, text) VALUES (?, ?)');
  const addUses = connection.statement('INSERT INTO uses_fts (rowid, input, output) VALUES (?, ?, ?)');
  const entries = new Map<number, string>();
  const uses = new Map<number, IndexedUses>();
  const drop = () => {
    entries.clear();
    uses.clear();
  };
  return {
    entry: (id, text) => void entries.set(id, text),
    uses: (id, texts) => void uses.set(id, texts),
    hasUses: (id) => uses.has(id),
    write() {
      for (const [id, text] of entries) addEntry.run(id, text);
      for (const [id, { input, output }] of uses) addUses.run(id, input, output);
      drop();
    },
    drop,
  };
}
