// Opens the store of this memory. Commands import this file alone, because loading search by meaning takes time.
import { type Config, ensureHome } from '../config/config.ts';
import { backupPlan } from '../store/sqlite/backup-files.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';

/** Creates the folder and the database if they do not exist. */
export function openStore(config: Config): Promise<Store> {
  ensureHome(config);
  return openSqliteStore(config.databasePath, undefined, backupPlan(config));
}
