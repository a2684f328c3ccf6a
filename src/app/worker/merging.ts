// Keeps the index of words in few parts: after an import it has dozens, and each would slow down searches.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

/** Hooks and searches get their turn between two steps. */
const pauseMs = 10;

export function merging({ store, log }: Pick<WorkerDeps, 'store' | 'log'>, signal: AbortSignal): Repeated {
  async function merge(): Promise<void> {
    if (!(await store.admin.isIndexScattered())) return;
    while (!signal.aborted && (await store.admin.mergeIndex())) await sleep(pauseMs);
  }
  return repeated(merge, log, signal);
}
