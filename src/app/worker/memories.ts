// Keeps the index of memories equal to the files while people edit them, and finishes what a crash left.
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Watch, watchFolder } from '../../capture/watch.ts';
import type { MemoryDeps } from '../../distill/memory/librarian.ts';

/** An editor saves in several steps, and a sync brings many files: read once for all of them. */
const settleMs = 200;

export interface MemoryFiles {
  /** Reads again if the last read failed. */
  retry(): void;
  close(): Promise<void>;
}

export async function memoryFiles(
  deps: MemoryDeps,
  on: { readonly changed: () => void; readonly error: (error: unknown) => void },
  signal: AbortSignal,
): Promise<MemoryFiles> {
  const folder = deps.config.memoryPath;
  let looking: Promise<void> | undefined;
  let due = false;
  let failed = false;
  /** True when the folder cannot be watched. Then every poll checks. */
  let blind = false;

  function look(): void {
    due = true;
    looking ??= (async () => {
      while (due && !signal.aborted) {
        // An abort ends the wait; the next line looks for it.
        await sleep(settleMs, undefined, { signal }).catch(() => {});
        if (signal.aborted) break;
        due = false;
        try {
          const { bringInLine } = await import('../../distill/memory/index.ts');
          await bringInLine(deps);
          failed = false;
          on.changed();
        } catch (error) {
          failed = true;
          on.error(error);
        }
      }
      looking = undefined;
    })();
  }

  const blinded = (error: unknown) => {
    blind = true;
    on.error(error);
  };
  let watch: Watch | undefined;
  try {
    // Watching the data folder instead would wake us with every write of the database.
    if (deps.config.settings.memoryPath === undefined) makeInside(deps.config.home, folder);
    const isPage = (file: string) => /\.md$/i.test(file);
    watch = await watchFolder(folder, isPage, { file: look, lost: look, root: look, error: blinded });
  } catch (error) {
    on.error(error);
  }
  look();

  return {
    retry() {
      if (failed || blind) look();
    },
    async close() {
      await watch?.close();
      await looking;
    },
  };
}

/** Not if the data folder itself is gone: the person has just removed it. */
function makeInside(home: string, folder: string): void {
  if (fs.existsSync(home) && !fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
}
