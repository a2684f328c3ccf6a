// Which periods a pause covers if the clock may have been changed while it ran.
import type { RunningTime } from '../../system/running-time.ts';
import type { Pause } from './port.ts';

/** A running pause, as recorded at its start. */
export interface BegunPause {
  readonly from: number;
  readonly began?: RunningTime | undefined;
  /** The time of the newest entry at that moment. */
  readonly seen?: number | undefined;
}

export interface PauseNow {
  readonly at: number;
  readonly running?: RunningTime | undefined;
}

/** Routine clock corrections and the delay of recording stay below this. */
const tolerance = 120_000;

/**
 * The last of the periods has no end. An entry written during a pause has the time of the clock at that moment: the
 * clock at the pause's start, or the clock now. The machine's running time says how long each was in use.
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
