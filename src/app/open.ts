// The composition root: configuration, store and clock come together here.
import { type Config, loadConfig } from '../config/config.ts';
import type { Context } from '../operations/operation.ts';
import { type Meaning, openMeaning } from '../recall/vectors/index.ts';
import type { Store } from '../store/store.ts';
import { runningTime } from '../system/running-time.ts';
import { openStore } from './store.ts';

export interface Holdfast {
  readonly config: Config;
  readonly store: Store;
  readonly meaning: Meaning;
  /** What operations run with. */
  readonly context: Context;
  close(): Promise<void>;
}

/** Opens the memory that the environment names, and creates it if it does not exist. */
export async function openHoldfast(env?: NodeJS.ProcessEnv): Promise<Holdfast> {
  const config = loadConfig(env);
  const store = await openStore(config);
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
