// ④ What stands beside a match is worth something too: most of all the answer to a question that matches.
import type { RankInput } from './rank.ts';
import { flag } from './vectors/places.ts';

export interface Lent {
  /** What each place got from the neighbour that gave most: many that match a little are no better than one. */
  readonly got: Float32Array;
  readonly answers: Uint8Array;
  /** 1 where some of it came from an entry that holds words of the query. */
  readonly byWords: Uint8Array;
  readonly touched: readonly number[];
}

/** From this score on entries lend some of it to their neighbours. */
const leastLent = 0.25;
/** What an answer gets of the question before it; what the next gets, and the second. */
const toAnswer = 0.8;
const toNext = 0.2;
const toSecond = 0.1;
/** About 60 words: a longer entry speaks for itself, and what it says is not what its neighbours say. */
const shortText = 330;
/** Entries that used tools and said nothing are stepped over, so many at most. */
const mostSilent = 20;

export function lend(
  { places, scope, cosines }: RankInput,
  matched: {
    readonly words: ReadonlyMap<number, number>;
    readonly own: Float32Array;
    readonly matches: readonly number[];
  },
): Lent {
  const { words, own, matches } = matched;
  const { previous, next, flags, length } = places;
  const got = new Float32Array(places.size);
  const answers = new Uint8Array(places.size);
  const byWords = new Uint8Array(places.size);
  const touched = new Set<number>();
  const shortness = (place: number) => Math.min(1, shortText / Math.max(1, length[place] as number));
  /** Where all others have vectors, an entry without one says nothing: it used tools. */
  const isSilent = (place: number) => cosines !== undefined && ((flags[place] as number) & flag.noVector) !== 0;
  const step = (from: number, direction: Int32Array): number => {
    let place = direction[from] as number;
    for (let i = 0; i < mostSilent && place >= 0 && isSilent(place); i++) place = direction[place] as number;
    return place;
  };
  const give = (lender: number, to: number, share: number, isAnswer: boolean): void => {
    if (to < 0 || (scope !== undefined && scope[to] !== 1)) return;
    const given = share * (own[lender] as number) * shortness(lender) * shortness(to);
    touched.add(to);
    if (words.has(lender)) byWords[to] = 1;
    if (given <= (got[to] as number)) return;
    got[to] = given;
    answers[to] = isAnswer ? 1 : 0;
  };
  for (const lender of matches) {
    if ((own[lender] as number) < leastLent) continue;
    const asks = ((flags[lender] as number) & flag.asks) !== 0;
    for (const direction of [next, previous]) {
      const first = step(lender, direction);
      if (first < 0) continue;
      const isAnswer = asks && direction === next;
      give(lender, first, isAnswer ? toAnswer : toNext, isAnswer);
      give(lender, step(first, direction), toSecond, false);
    }
  }
  return { got, answers, byWords, touched: [...touched] };
}
