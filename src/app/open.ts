// The composition root: configuration, store and clock come together here.
import { type Config, ensureHome, loadConfig } from '../config/config.ts';
import type { Context } from '../operations/operation.ts';
import { type Meaning, openMeaning } from '../recall/vectors/index.ts';
import { backupPlan } from '../store/sqlite/backup-files.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { runningTime } from '../system/running-time.ts';

export interface Holdfast {
  readonly config: Config;
  readonly store: Store;
  readonly meaning: Meaning;
  /** What operations run with. */
  readonly context: Context;
  close(): Promise<void>;
}

/** Opens the memory that the environment names, and creates it if there is none. */
export async function openHoldfast(env?: NodeJS.ProcessEnv): Promise<Holdfast> {
  const config = loadConfig(env);
  ensureHome(config);
  const store = await openSqliteStore(config.databasePath, undefined, backupPlan(config));
  const meaning = openMeaning({ store, config });
  return {
    config,
    store,
    meaning,
    context: { config, store, meaning, clock: Date.now, running: runningTime },
    async close() {
      await meaning.close();
      await store.close();
    },
  };
}
