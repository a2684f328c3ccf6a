// ④ Cosines → nearness: how far a text lies above what any two texts have in common.

import { flag } from '../vectors/places.ts';
import type { RankInput, Standing } from './rank.ts';

export interface Nearness {
  /** 0 for an average text, 1 for the nearest. */
  score(place: number): number;
  /** The places with this score or more, from the first to the last. */
  from(least: number): number[];
  /** Near enough to be found without a word of the query. */
  isClose(place: number): boolean;
}

/** The models that we know score two arbitrary texts below this. Other models may score higher: then the mean over many texts counts. */
const usualFloor = 0.15;
const unusualMean = 0.4;
const manyTexts = 50;
/** Shares of the way from the floor to the same text: from where on a text is near, and how near the nearest must be to count in full. */
const close = 0.08;
const fullNearest = 0.2;

export function nearnessOf({ places, scope, cosines }: RankInput<Standing>): Nearness | undefined {
  if (cosines === undefined) return undefined;
  const { flags } = places;
  const counts = (place: number) =>
    (scope === undefined || scope[place] === 1) && ((flags[place] as number) & uncounted) === 0;
  const { count, mean, most } = overall(cosines, places, scope);
  const floor = count >= manyTexts && mean > unusualMean ? mean : usualFloor;
  const lowest = Math.min(floor, mean);
  const span = Math.max(most - lowest, fullNearest * (1 - floor));
  return {
    score(place) {
      const cosine = cosines[place] as number;
      return cosine >= floor && counts(place) ? (cosine - lowest) / span : 0;
    },
    from: (least) => above(cosines, Math.max(floor, lowest + least * span)).filter(counts),
    isClose: (place) => (cosines[place] as number) - floor >= close * (1 - floor),
  };
}

const uncounted = flag.gone | flag.noVector;

// Over all places, in separate functions: a closure would reread its variables at every step.

function overall(cosines: Float32Array, { flags, size }: Standing, scope: Uint8Array | undefined) {
  let sum = 0;
  let count = 0;
  let most = 0;
  for (let place = 0; place < size; place++) {
    if ((scope !== undefined && scope[place] !== 1) || ((flags[place] as number) & uncounted) !== 0) continue;
    const cosine = cosines[place] as number;
    sum += cosine;
    count++;
    if (cosine > most) most = cosine;
  }
  return { count, mean: count === 0 ? usualFloor : sum / count, most };
}

function above(cosines: Float32Array, least: number): number[] {
  const found: number[] = [];
  for (let place = 0; place < cosines.length; place++) if ((cosines[place] as number) >= least) found.push(place);
  return found;
}
