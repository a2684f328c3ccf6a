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
  const { previous, next, flags } = places;
  const got = floats.take(places.size);
  const answers = bytes.take(places.size);
  const byWords = bytes.take(places.size);
  const touched: number[] = [];
  const seen = bytes.take(places.size);
  const shortness = shortnessAt(places);
  const step = stepping(places, cosines !== undefined);
  const lenders = matches.filter((place) => own(place) >= leastLent);

  for (const direction of [next, previous]) {
    const most = floats.take(places.size);
    const offer = (place: number, share: number, isAnswer: boolean) => {
      if (share <= (most[place] as number)) return;
      most[place] = share;
      if (direction === next) answers[place] = isAnswer ? 1 : 0;
    };
    for (const lender of lenders) {
      const given = own(lender) * shortness(lender);
      const asks = direction === next && ((flags[lender] as number) & flag.asks) !== 0;
      const hasWords = words.has(lender);
      let place = lender;
      for (let distance = 1; distance <= reach; distance++) {
        place = step(place, direction);
        if (place < 0) break;
        if (scope !== undefined && scope[place] !== 1) continue;
        if (seen[place] === 0) touched.push(place);
        seen[place] = 1;
        if (hasWords) byWords[place] = 1;
        const isAnswer = asks && distance === 1;
        offer(place, Math.fround(given * shortness(place) * shareOf(distance, isAnswer)), isAnswer);
      }
    }
    for (const place of touched) got[place] = (got[place] as number) + (most[place] as number);
    floats.giveBack(most);
  }
  bytes.giveBack(seen);
  return { got, answers, byWords, touched };
}

const shareOf = (distance: number, isAnswer: boolean): number =>
  isAnswer ? toAnswer : distance === 1 ? toNext : toNear;

const shortnessAt =
  ({ length }: RankInput['places']) =>
  (place: number): number =>
    Math.min(1, shortText / Math.max(1, length[place] as number)) ** 2;

/** Steps to the next place in a direction, over entries that only used tools. Negative at the end. */
function stepping({ flags, length }: RankInput['places'], hasVectors: boolean) {
  /** If all others have vectors, an entry without a vector says nothing either. */
  const isSilent = (place: number) =>
    (((flags[place] as number) & flag.usedTools) !== 0 && (length[place] as number) <= shortestSaying) ||
    (hasVectors && ((flags[place] as number) & flag.noVector) !== 0);
  return (from: number, direction: Int32Array): number => {
    let place = direction[from] as number;
    for (let i = 0; i < mostSilent && place >= 0 && isSilent(place); i++) place = direction[place] as number;
    return place;
  };
}
