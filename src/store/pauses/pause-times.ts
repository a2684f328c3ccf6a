// Which stretches of time a pause covers, when the clock may have been set while it ran.
import type { RunningTime } from '../../system/running-time.ts';
import type { Pause } from './port.ts';

/** A pause that runs, as it was noted when it began. */
export interface BegunPause {
  readonly from: number;
  readonly began?: RunningTime | undefined;
  /** When the newest entry of that moment was said. */
  readonly seen?: number | undefined;
}

export interface PauseNow {
  readonly at: number;
  readonly running?: RunningTime | undefined;
}

/** Clocks are corrected by this much all the time, and a note takes a moment. */
const tolerance = 120_000;

/**
 * The last of the stretches has no end. What was written in a pause has the time of the clock of that moment: of the one that was
 * right when the pause began, or of the one that is right now. The time that the machine ran meanwhile says how long each counted.
 */
export function coveredBy({ from, began, seen }: BegunPause, now: PauseNow): readonly [...Pause[], Pause] {
  const { at, running } = now;
  if (began === undefined || running === undefined || began.boot !== running.boot || running.ms < began.ms)
    return [{ from: from <= at ? from : Math.min(from, seen ?? at), until: undefined }];
  const elapsed = running.ms - began.ms;
  const start = at - elapsed;
  if (Math.abs(start - from) <= tolerance) return [{ from: Math.min(from, start), until: undefined }];
  return [
    { from, until: from + elapsed + tolerance },
    { from: start - tolerance, until: undefined },
  ];
}
