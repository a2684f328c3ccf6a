// How long a process may stay. An idle one is told to close; one without any result is ended. Both limits count from its start or its last
// real result, and from nothing else: mere activity does not keep an agent alive.
import type { HostClock } from './clock.ts';

/** A process that is told to close because it is idle has at least this long before it is ended. */
export const graceMs = 30_000;

export interface Limits {
  /** After a real result: both limits start again. */
  restart(): void;
  stop(): void;
}

export function startLimits(
  clock: HostClock,
  { idleMs, hardMs }: { readonly idleMs: number; readonly hardMs: number },
  on: { readonly idle: () => void; readonly hard: () => void },
): Limits {
  let stops: (() => void)[] = [];
  const stop = () => {
    for (const one of stops) one();
    stops = [];
  };
  const restart = () => {
    stop();
    stops = [clock.after(idleMs, on.idle), clock.after(Math.max(hardMs, idleMs + graceMs), on.hard)];
  };
  restart();
  return { restart, stop };
}
