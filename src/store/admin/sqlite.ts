// The port of admin: size, health, upkeep and backups.
import fs from 'node:fs';
import { explain, HoldfastError } from '../../system/errors.ts';
import type { Connection } from '../sqlite/connection.ts';
import { copyInto } from '../sqlite/copy.ts';
import { appendToLedger, ledgerFile, ledgerLinesIn } from '../sqlite/ledger.ts';
import { indexMerging } from './index-merging.ts';
import type { AdminPort } from './port.ts';
import { purging } from './purging.ts';
import { renewal } from './renewal.ts';

export function adminPort(connection: Connection): AdminPort {
  const { db, location, read } = connection;
  const { renewDerived } = renewal(connection);
  const { isIndexScattered, mergeIndex } = indexMerging(connection);
  const { purge, release, scrub, emptyLog } = purging(connection);
  return {
    renewDerived,
    isIndexScattered,
    mergeIndex,
    purge,
    release,
    scrub,
    emptyLog,
    async size() {
      return ['', '-wal', '-shm'].reduce(
        (sum, side) => sum + (fs.statSync(location + side, { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
    },
    async probe() {
      read(() => connection.statement('SELECT count(*) FROM facts').get());
    },
    async keepCacheSmall() {
      db.pragma('cache_size = -4000');
    },
    async shrink() {
      read(() => db.pragma('shrink_memory'));
    },
    async integrity() {
      return read(() => {
        const said = db.pragma('quick_check(20)') as { quick_check: string }[];
        const orphans = db.pragma('foreign_key_check') as { table: string }[];
        const problems = said.map((row) => row.quick_check).filter((line) => line !== 'ok');
        if (orphans.length > 0) problems.push(`${orphans.length} rows refer to rows that do not exist`);
        for (const table of ['entries', 'observations', 'summaries']) {
          const indexed = connection.statement(`SELECT count(*) FROM ${table}_fts_docsize`).pluck().get() as number;
          const rows = connection.statement(`SELECT count(*) FROM ${table}`).pluck().get() as number;
          if (indexed !== rows) problems.push(`the search index holds ${indexed} of ${rows} ${table}`);
        }
        return problems;
      });
    },
    async backup(target) {
      if (fs.existsSync(target)) {
        throw new HoldfastError('CONFLICT', `${target} exists already`, {
          hint: 'Name a file that does not exist yet.',
        });
      }
      try {
        copyInto(db, target);
      } catch (error) {
        throw explain(error, target);
      }
    },
    async keepLedger() {
      appendToLedger(
        ledgerFile(location),
        read(() => ledgerLinesIn(db)),
      );
    },
  };
}
