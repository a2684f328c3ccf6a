// Keeps the keyword index in few segments: every import adds some, and every search reads all of them.
import type { Connection } from '../sqlite/connection.ts';
import type { AdminPort } from './port.ts';

/** A smaller index is fast with any number of segments. */
const leastPages = 200;
/** Merging rewrites the whole index, so skip it while one segment holds most of the pages. */
const wholeShare = 0.8;
/** A step of this size takes a few milliseconds; hooks wait no longer than that. */
const pagesAtOnce = 64;

export function indexMerging(connection: Connection): Pick<AdminPort, 'isIndexScattered' | 'mergeIndex'> {
  const { read, write } = connection;
  const indexes = ['entries_fts', 'uses_fts'].map((table) => ({
    parts: connection.statement<[], number>(`SELECT count(*) FROM ${table}_idx GROUP BY segid`).pluck(),
    // A negative number merges segments of any size until one is left.
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
          // From the FTS5 documentation: the command itself counts as one change.
          return (changes.get() as number) - before >= 2;
        }),
      );
    },
  };
}
