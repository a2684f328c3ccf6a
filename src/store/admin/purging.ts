// Clears removed data from the database file, its indexes and its log.
import type { Connection } from '../sqlite/connection.ts';
import { emptyLog } from '../sqlite/overwriting.ts';
import type { AdminPort } from './port.ts';

const indexes = ['entries_fts', 'uses_fts', 'observations_fts', 'summaries_fts', 'memories_fts'];

export function purging(connection: Connection): Pick<AdminPort, 'purge' | 'release' | 'scrub' | 'emptyLog'> {
  const { read, write } = connection;
  // A page's name comes from its content, so it is deleted with the last line. The commit to git has happened by now.
  const isEmpty = `stamp = '' AND due = 0 AND NOT EXISTS (SELECT 1 FROM statements s WHERE s.page = memory_pages.page)
    AND NOT EXISTS (SELECT 1 FROM memory_edits e WHERE e.page = memory_pages.page)`;
  const namesOfNothing = [
    `DELETE FROM memory_pages WHERE ${isEmpty}`,
    'DELETE FROM memory_merges WHERE page NOT IN (SELECT page FROM memory_pages)',
    "DELETE FROM changes WHERE kind = 'memory' AND subject NOT IN (SELECT page FROM memory_pages) AND subject NOT IN (SELECT page FROM memories)",
  ].map((sql) => connection.statement(sql));
  const dropGone = connection.statement("DELETE FROM changes WHERE kind = 'gone'");
  const addGone = connection.statement("INSERT INTO changes (kind, agent, subject) VALUES ('gone', '', '')");

  return {
    async purge() {
      connection.db.pragma('secure_delete = ON');
      write(() => {
        for (const drop of namesOfNothing) drop.run();
        // Viewers that cached older data reload.
        dropGone.run();
        addGone.run();
      });
      return read(() => {
        // An index keeps words of removed texts until its segments are merged.
        // VACUUM clears the bytes that moved rows left behind.
        for (const table of indexes) connection.statement(`INSERT INTO ${table} (${table}) VALUES ('optimize')`).run();
        connection.db.exec('VACUUM');
        const [done] = connection.db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
        return done?.busy === 0;
      });
    },
    async release() {
      connection.db.pragma('shrink_memory');
    },
    async scrub() {
      write(() => connection.statement("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')").run());
      // Until this checkpoint, the log still contains the old pages. A reader may delay it; that is not a failure.
      connection.db.pragma('wal_checkpoint(TRUNCATE)');
    },
    async emptyLog() {
      return read(() => emptyLog(connection.db));
    },
  };
}
