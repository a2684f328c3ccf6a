// Counts the tokens of quiet sessions in the background, so that lists of sessions know what each one cost.
import { setTimeout as sleep } from 'node:timers/promises';
import { countUsage, quietSince } from '../../capture/usage.ts';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

/** Hooks and searches get their turn between two sessions. */
const pauseMs = 20;
/** More than this, as after an import, would hold up hooks and searches and leave memory in use: a process of its own counts them. */
const mostHere = 10;

export function counting(
  {
    store,
    config,
    clock,
    running,
    log,
    count,
  }: Pick<WorkerDeps, 'store' | 'config' | 'clock' | 'running' | 'log' | 'count'>,
  signal: AbortSignal,
): Repeated {
  const deps = { store, config, clock, running, signal };
  async function countAll(): Promise<void> {
    const due = await store.usage.due(quietSince(clock()), mostHere + 1);
    if (count !== undefined && due.length > mostHere) await count();
    while (!signal.aborted && (await countUsage(deps, quietSince(clock()), () => sleep(pauseMs))) > 0);
  }
  return repeated(countAll, log, signal);
}
