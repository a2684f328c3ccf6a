// The composition root: configuration, store and clock come together here.
import { type Config, ensureHome, loadConfig } from './config.ts';
import type { Context } from './operations/operation.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import type { Store } from './store/store.ts';

export interface Holdfast {
  readonly config: Config;
  readonly store: Store;
  /** What operations run with. */
  readonly context: Context;
  close(): Promise<void>;
}

/** Opens the memory that the environment names, and creates it where there is none. */
export async function openHoldfast(env?: NodeJS.ProcessEnv): Promise<Holdfast> {
  const config = loadConfig(env);
  ensureHome(config);
  const store = await openSqliteStore(config.databasePath);
  return { config, store, context: { config, store, clock: Date.now }, close: () => store.close() };
}
