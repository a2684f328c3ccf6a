// Pauses: periods in which nothing is kept.
import type { PauseNow } from '../pauses/pause-times.ts';

/** A period in which nothing is kept. A pause without an end is still running. */
export interface Pause {
  readonly from: number;
  readonly until: number | undefined;
}

export interface PausesPort {
  /** Oldest first. With `now`, a running pause covers everything since its start, even if the clock was changed. */
  list(now?: PauseNow): Promise<readonly Pause[]>;
  /** Starts a pause unless one is running; returns the running one. */
  start(now: PauseNow): Promise<Pause>;
  /** Ends the running pause; undefined if no pause is running. */
  end(now: PauseNow): Promise<Pause | undefined>;
}
