// The index of words as few parts: every import leaves some, and every search goes through all of them.
import type { Connection } from '../sqlite/connection.ts';
import type { AdminPort } from './port.ts';

/** A smaller index is fast in any number of parts. */
const leastPages = 200;
/** Merging writes all of it anew: not worth it for what has come since. */
const wholeShare = 0.8;
/** A step of these takes a few milliseconds; hooks wait for no more than that. */
const pagesAtOnce = 64;

export function indexMerging(connection: Connection): Pick<AdminPort, 'isIndexScattered' | 'mergeIndex'> {
  const { read, write } = connection;
  const indexes = ['entries_fts', 'uses_fts'].map((table) => ({
    parts: connection.statement<[], number>(`SELECT count(*) FROM ${table}_idx GROUP BY segid`).pluck(),
    // A negative number: of parts of any size, until there is one.
    merge: connection.statement(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', -${pagesAtOnce})`),
  }));
  const changes = connection.statement<[], number>('SELECT total_changes()').pluck();
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
