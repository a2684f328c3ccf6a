// Counts the tokens of quiet sessions in the background, so that lists of sessions know what each one cost.
import { setTimeout as sleep } from 'node:timers/promises';
import { countUsage } from '../../capture/usage.ts';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

/** A session that is still growing would be read again and again. */
const quietMs = 600_000;
/** Hooks and searches get their turn between two sessions. */
const pauseMs = 20;

export function counting(
  { store, config, clock, running, log }: Pick<WorkerDeps, 'store' | 'config' | 'clock' | 'running' | 'log'>,
  signal: AbortSignal,
): Repeated {
  const deps = { store, config, clock, running, signal };
  async function count(): Promise<void> {
    const pause = () => sleep(pauseMs);
    while (!signal.aborted && (await countUsage(deps, clock() - quietMs, pause)) > 0);
  }
  return repeated(count, log, signal);
}
