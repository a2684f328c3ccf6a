// Pauses: stretches of time in which nothing is kept.
import type { PauseNow } from '../pauses/pause-times.ts';

/** A stretch of time in which nothing is kept; one without an end is running. */
export interface Pause {
  readonly from: number;
  readonly until: number | undefined;
}

/** Pauses of capture. */
export interface PausesPort {
  /** Oldest first. `now`: a pause that runs covers what happens while it runs, also when the clock was set meanwhile. */
  list(now?: PauseNow): Promise<readonly Pause[]>;
  /** Begins a pause, unless one is running; returns the running one. */
  start(now: PauseNow): Promise<Pause>;
  /** Ends the running pause; undefined when none is running. */
  end(now: PauseNow): Promise<Pause | undefined>;
}
