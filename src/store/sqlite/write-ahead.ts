// Switches a database to a write-ahead log.
import type { Database } from 'better-sqlite3';
import { systemCode } from '../../system/errors.ts';
import { waitSync } from '../../system/wait.ts';

const betweenTriesMs = 20;

/**
 * SQLite does not wait here: it holds a read lock already, so it fails at once while another process creates the same
 * database. So this waits as long as any other statement would.
 */
export function writeAhead(db: Database): void {
  const giveUpAt = Date.now() + (db.pragma('busy_timeout', { simple: true }) as number);
  for (;;) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (systemCode(error) !== 'SQLITE_BUSY' || Date.now() > giveUpAt) throw error;
      waitSync(betweenTriesMs);
    }
  }
}
