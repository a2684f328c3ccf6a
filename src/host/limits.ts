// How long a process may stay: idle, it is told to close; without any result, it is ended. Both count from its start, or from its last
// real result, and from nothing else: an agent that only moves about does not stay for ever.
import type { HostClock } from './clock.ts';

/** A process that is told to close for being idle has at least this long before it is ended. */
export const graceMs = 30_000;

export interface Limits {
  /** A real result: both count anew. */
  restart(): void;
  stop(): void;
  /** It has been idle long enough, whatever it does now. */
  isIdleOver(): boolean;
}

export function startLimits(
  clock: HostClock,
  { idleMs, hardMs }: { readonly idleMs: number; readonly hardMs: number },
  on: { readonly idle: () => void; readonly hard: () => void },
): Limits {
  let stops: (() => void)[] = [];
  let over = false;
  const stop = () => {
    for (const one of stops) one();
    stops = [];
  };
  const restart = () => {
    stop();
    over = false;
    stops = [
      clock.after(idleMs, () => {
        over = true;
        on.idle();
      }),
      clock.after(Math.max(hardMs, idleMs + graceMs), on.hard),
    ];
  };
  restart();
  return { restart, stop, isIdleOver: () => over };
}
