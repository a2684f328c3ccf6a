// Background work rests while a page loads or a search is typed: both need the processor now, and the work can wait.
import { setTimeout as sleep } from 'node:timers/promises';

/** Requests of one page, or of one word that is typed, follow each other within this time. */
const burstMs = 300;
/** A program that never stops asking must not stop the work. */
const longestMs = 2000;

export interface Quiet {
  /** Notes a request. */
  asked(): void;
  /** Resolves when the requests have ended, or after a while. */
  wait(): Promise<void>;
}

export function quiet(
  now: () => number = () => performance.now(),
  rest: (ms: number) => Promise<unknown> = sleep,
): Quiet {
  let last = Number.NEGATIVE_INFINITY;
  return {
    asked() {
      last = now();
    },
    async wait() {
      const until = now() + longestMs;
      for (let left = last + burstMs - now(); left > 0 && now() < until; left = last + burstMs - now())
        await rest(Math.min(left, until - now()));
    },
  };
}
