// The index of words as few parts: every import leaves some, and every search goes through all of them.
import type { Database } from 'better-sqlite3';
import type { Store } from '../store.ts';

type Run = <T>(work: () => T) => T;

/** A smaller index is fast in any number of parts. */
const leastPages = 200;
/** Merging writes all of it anew: not worth it for what has come since. */
const wholeShare = 0.8;
/** A step of these takes a few milliseconds; hooks wait for no more than that. */
const pagesAtOnce = 64;

export function indexMerging(db: Database, read: Run, write: Run): Pick<Store, 'isIndexScattered' | 'mergeIndex'> {
  const indexes = ['entries_fts', 'uses_fts'].map((table) => ({
    parts: db.prepare<[], number>(`SELECT count(*) FROM ${table}_idx GROUP BY segid`).pluck(),
    // A negative number: of parts of any size, until there is one.
    merge: db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', -${pagesAtOnce})`),
  }));
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  const isScattered = ({ parts }: (typeof indexes)[number]): boolean => {
    const pages = parts.all();
    const all = pages.reduce((sum, count) => sum + count, 0);
    return all >= leastPages && Math.max(...pages) < wholeShare * all;
  };

  return {
    async isIndexScattered() {
      return read(() => indexes.some(isScattered));
    },
    async mergeIndex() {
      return write(() =>
        indexes.some(({ merge }) => {
          const before = changes.get() as number;
          merge.run();
          // As the documentation of FTS5 says: one change is the command itself.
          return (changes.get() as number) - before >= 2;
        }),
      );
    },
  };
}
