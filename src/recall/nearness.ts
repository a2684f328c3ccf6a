// ④ Cosines → nearness: how far a text lies above what any two texts have in common.
import type { RankInput, Standing } from './rank.ts';
import { flag } from './vectors/places.ts';
import { floats } from './vectors/scratch.ts';

export interface Nearness {
  /** 0 for what is as far as any, 1 for the nearest. */
  readonly scores: Float32Array;
  /** Near enough to be found without a word of the query. */
  isClose(place: number): boolean;
}

/** Below this lie any two texts by the models that we know; by others that may be more, and then the mean of many says how much. */
const usualFloor = 0.15;
const unusualMean = 0.4;
const manyTexts = 50;
/** Shares of the way from the floor to the same text: from where on a text is near, and how near the nearest must be to count in full. */
const close = 0.08;
const fullNearest = 0.2;

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
  const mean = count === 0 ? usualFloor : sum / count;
  const floor = count >= manyTexts && mean > unusualMean ? mean : usualFloor;
  const lowest = Math.min(floor, mean);
  const span = Math.max(most - lowest, fullNearest * (1 - floor));
  const scores = floats.take(size);
  for (let place = 0; place < size; place++) {
    const cosine = cosines[place] as number;
    if (cosine >= floor && counts(place)) scores[place] = (cosine - lowest) / span;
  }
  return { scores, isClose: (place) => (cosines[place] as number) - floor >= close * (1 - floor) };
}
