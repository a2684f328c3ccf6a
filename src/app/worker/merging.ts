// Keeps the index of words in few parts: after an import it is in dozens, and searches would pay for each.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

/** Between two steps hooks and searches get their turn. */
const pauseMs = 10;

export function merging({ store, log }: Pick<WorkerDeps, 'store' | 'log'>, signal: AbortSignal): Repeated {
  async function merge(): Promise<void> {
    if (!(await store.admin.isIndexScattered())) return;
    while (!signal.aborted && (await store.admin.mergeIndex())) await sleep(pauseMs);
  }
  return repeated(merge, log, signal);
}
