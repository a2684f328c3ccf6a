// ④ Cosines → nearness: how far a text lies above what any two texts have in common. That level is another for each model and
// question, so it is taken from the cosines themselves; what counts as near is a share of the way from there to the same text.
import type { RankInput, Standing } from './rank.ts';
import { flag } from './vectors/places.ts';

export interface Nearness {
  /** 0 for what is as far as most, 1 for the nearest. */
  readonly scores: Float32Array;
  /** Near enough to be found without a word of the query. */
  isClose(place: number): boolean;
}

/** A share of the way from the common level to the same text. */
const close = 0.15;
/** Where nothing is nearer than this, the nearest is not near either. */
const leastNearest = 0.2;
/** The mean of fewer says nothing about any two texts; it is then no higher than that of built-in models. */
const fewTexts = 50;
const usualLevel = 0.15;

export function nearnessOf({ places, scope, cosines }: RankInput<Standing>): Nearness | undefined {
  if (cosines === undefined) return undefined;
  const { flags, size } = places;
  const counts = (place: number) =>
    (scope === undefined || scope[place] === 1) && ((flags[place] as number) & (flag.gone | flag.noVector)) === 0;
  let [sum, count, most] = [0, 0, 0];
  for (let place = 0; place < size; place++) {
    if (!counts(place)) continue;
    const cosine = cosines[place] as number;
    sum += cosine;
    count++;
    if (cosine > most) most = cosine;
  }
  const mean = count === 0 ? usualLevel : sum / count;
  const level = count < fewTexts ? Math.min(usualLevel, mean) : mean;
  const span = Math.max(most - level, leastNearest * (1 - level));
  const scores = new Float32Array(size);
  for (let place = 0; place < size; place++) {
    const above = (cosines[place] as number) - level;
    if (above > 0 && counts(place)) scores[place] = above / span;
  }
  return { scores, isClose: (place) => (cosines[place] as number) - level >= close * (1 - level) };
}
