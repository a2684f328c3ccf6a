// ④ An entry beside a match is worth something too, most of all the answer to a matching question.

import { flag } from '../vectors/places.ts';
import { bytes, floats } from '../vectors/scratch.ts';
import type { RankInput } from './rank.ts';

export interface Lent {
  /** What each place got: from the best giver before it, and from the one after it. Many weak matches do not add up. */
  readonly got: Float32Array;
  readonly answers: Uint8Array;
  /** 1 if some of it came from an entry that contains words of the query. */
  readonly byWords: Uint8Array;
  readonly touched: readonly number[];
}

/** From this score on, entries lend some of it to their neighbours. */
const leastLent = 0.25;
/** The share that an answer gets of the question before it; the shares of the next, the second and the third. */
const toAnswer = 0.8;
const toNext = 0.2;
const toNear = 0.1;
const reach = 3;
/** About 60 words: a longer entry speaks for itself, and its neighbours say other things. */
const shortText = 330;
/** Entries that only used tools are skipped, at most this many. */
const mostSilent = 20;
/** An entry with tools and a text this short says nothing by itself. */
const shortestSaying = 20;

export function lend(
  { places, scope, cosines }: RankInput,
  matched: {
    readonly words: ReadonlyMap<number, number>;
    own(place: number): number;
    readonly matches: readonly number[];
  },
): Lent {
  const { words, own, matches } = matched;
  const { previous, next, flags, length } = places;
  const got = floats.take(places.size);
  const answers = bytes.take(places.size);
  const byWords = bytes.take(places.size);
  const touched: number[] = [];
  const seen = bytes.take(places.size);
  const shortness = (place: number) => Math.min(1, shortText / Math.max(1, length[place] as number)) ** 2;
  /** An entry that only used tools. If all others have vectors, one without a vector says nothing either. */
  const isSilent = (place: number) =>
    (((flags[place] as number) & flag.usedTools) !== 0 && (length[place] as number) <= shortestSaying) ||
    (cosines !== undefined && ((flags[place] as number) & flag.noVector) !== 0);
  const step = (from: number, direction: Int32Array): number => {
    let place = direction[from] as number;
    for (let i = 0; i < mostSilent && place >= 0 && isSilent(place); i++) place = direction[place] as number;
    return place;
  };
  for (const direction of [next, previous]) {
    const most = floats.take(places.size);
    for (const lender of matches) {
      if (own(lender) < leastLent) continue;
      const given = own(lender) * shortness(lender);
      const asks = direction === next && ((flags[lender] as number) & flag.asks) !== 0;
      let place = lender;
      for (let distance = 1; distance <= reach; distance++) {
        place = step(place, direction);
        if (place < 0) break;
        if (scope !== undefined && scope[place] !== 1) continue;
        if (seen[place] === 0) touched.push(place);
        seen[place] = 1;
        if (words.has(lender)) byWords[place] = 1;
        const isAnswer = asks && distance === 1;
        const share = Math.fround(given * shortness(place) * (isAnswer ? toAnswer : distance === 1 ? toNext : toNear));
        if (share <= (most[place] as number)) continue;
        most[place] = share;
        if (direction === next) answers[place] = isAnswer ? 1 : 0;
      }
    }
    for (const place of touched) got[place] = (got[place] as number) + (most[place] as number);
    floats.giveBack(most);
  }
  bytes.giveBack(seen);
  return { got, answers, byWords, touched };
}
