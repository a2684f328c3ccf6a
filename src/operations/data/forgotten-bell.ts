// Tells every process of this data folder that something was forgotten, so that none goes on holding it in memory.
import { existsSync, unwatchFile, watch, watchFile, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/store.ts';

type Home = Pick<Config, 'home'>;

const bellOf = ({ home }: Home): string => join(home, 'forgotten');
/** Where the system watches nothing any more, this finds it. */
const lookMs = 2000;

/** Contract: never throws. What is gone from the disk is gone, whether others could be told or not. */
export function ringForgotten(config: Home, now: number): void {
  try {
    writeFileSync(bellOf(config), `${now}\n`, { mode: 0o600 });
  } catch {
    // A full disk, say.
  }
}

/** Calls after each forgetting of another process, until it is closed. Keeps no process alive. */
export function hearForgotten(config: Home, heard: () => void): { close(): void } {
  const bell = bellOf(config);
  if (!existsSync(bell)) ringForgotten(config, 0);
  const looking = () => {
    watchFile(bell, { interval: lookMs, persistent: false }, heard);
    return { close: () => unwatchFile(bell, heard) };
  };
  try {
    const watching = watch(bell, { persistent: false }, heard);
    let instead: { close(): void } | undefined;
    watching.once('error', () => {
      instead = looking();
    });
    return {
      close() {
        watching.close();
        instead?.close();
      },
    };
  } catch {
    return looking();
  }
}

/** Drops what this process holds of the store beyond what it needs: pages of the file, and texts that no one uses any more. */
export async function dropHeld(store: Pick<Store, 'admin'>): Promise<void> {
  await store.admin.release();
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([import('node:v8'), import('node:vm')]);
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  // A runtime without it collects when it sees fit.
  if (typeof collect === 'function') collect();
}
