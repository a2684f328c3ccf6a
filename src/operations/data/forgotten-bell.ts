// Tells every process of this data folder that something was forgotten, so that no process keeps it in memory.
import { existsSync, unwatchFile, watch, watchFile, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/store.ts';

type Home = Pick<Config, 'home'>;

const bellOf = ({ home }: Home): string => join(home, 'forgotten');
/** Finds a change even if the system no longer reports file events. */
const lookMs = 2000;

/** Contract: never throws. The data is gone from the disk, whether or not other processes could be told. */
export function ringForgotten(config: Home, now: number): void {
  try {
    writeFileSync(bellOf(config), `${now}\n`, { mode: 0o600 });
  } catch {
    // For example, the disk is full.
  }
}

/** Calls `heard` whenever another process forgets something, until closed. Does not keep the process alive. */
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
    // Some file systems cannot be watched, and the watches of a system are limited.
    return looking();
  }
}

/** Drops what this process caches of the store: pages of the file, and texts that are no longer used. */
export async function dropHeld(store: Pick<Store, 'admin'>): Promise<void> {
  await store.admin.release();
  const { collectGarbage } = await import('../../system/heap.ts');
  collectGarbage();
}
