// Background work rests while a page loads, a search is typed or an agent starts: they need the processors now, and the work can wait.
import { setTimeout as sleep } from 'node:timers/promises';

/** Requests of one page, or of one word that is typed, follow each other within this time. */
const burstMs = 300;
/** A client reaches its first request within this time, also on a slow machine. */
const startMs = 2000;
/** A program that never stops asking must not stop the work. */
const longestMs = 2000;

export interface Quiet {
  /** Notes a request. */
  asked(): void;
  /** Notes that a session starts. */
  starts(): void;
  /** Resolves when the requests have ended and clients have started, after a while, or at the signal. */
  wait(): Promise<void>;
}

export function quiet(
  signal: AbortSignal,
  now: () => number = () => performance.now(),
  rest: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { signal }).catch(() => {}),
): Quiet {
  let busyUntil = Number.NEGATIVE_INFINITY;
  const keep = (ms: number) => {
    busyUntil = Math.max(busyUntil, now() + ms);
  };
  return {
    asked: () => keep(burstMs),
    starts: () => keep(startMs),
    async wait() {
      const latest = now() + longestMs;
      for (let left = busyUntil - now(); left > 0 && now() < latest && !signal.aborted; left = busyUntil - now())
        await rest(Math.min(left, latest - now()));
    },
  };
}
