// How long work will still take, from its speed in the last seconds.

export interface Sample {
  /** In milliseconds. */
  readonly at: number;
  /** How much of the work was done then, from 0 to 1. */
  readonly share: number;
}

const windowMs = 20_000;
/** Speeds over a shorter time differ too much. */
const leastMs = 2000;
/** Samples closer together add nothing. */
const gapMs = 250;
/** A longer estimate says only that the work hardly moves. */
const longest = 48 * 3600;

/** Adds a sample and drops those that no longer count. Work that starts over starts with this sample. */
export function withSample(samples: readonly Sample[], next: Sample): Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && (next.share < last.share || next.at < last.at)) return [next];
  const kept = samples.filter(({ at }) => next.at - at <= windowMs);
  // The first sample stays: the speed is measured from it.
  if (kept.length > 1 && last !== undefined && last.at - (kept.at(-2)?.at ?? 0) < gapMs) kept.pop();
  return [...kept, next];
}

/** In seconds; undefined if the samples are too few, or the work does not move. */
export function timeLeft(samples: readonly Sample[], now: number): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const [span, gained] = [last.at - first.at, last.share - first.share];
  if (span < leastMs || gained <= 0 || last.share >= 1 || now - last.at > windowMs) return undefined;
  const seconds = ((1 - last.share) * span) / gained / 1000 - (now - last.at) / 1000;
  return seconds > longest ? undefined : Math.max(0, Math.round(seconds));
}
