// ④ Keyword scores, cosines and the places of entries → hits, best first, with the reasons for each rank. Numbers in, numbers out.

import type { Places } from '../vectors/places.ts';
import { bytes, floats } from '../vectors/scratch.ts';
import { boostsOf, timeOf } from './boosts.ts';
import type { Coverage } from './coverage.ts';
import { nearnessOf } from './nearness.ts';
import { lend } from './neighbours.ts';

/** What ranking a single entry needs. */
export type Standing = Pick<Places, 'size' | 'rowid' | 'session' | 'at' | 'role' | 'flags'>;

export interface RankInput<P extends Standing = Places> {
  readonly places: P;
  /** 1 at places that may be found. Absent: all may. */
  readonly scope?: Uint8Array | undefined;
  /** Places that contain words of the query, with their BM25. */
  readonly words: readonly { readonly place: number; readonly score: number }[];
  /** Places whose tool uses contain words of the query, with their BM25. */
  readonly uses?: readonly { readonly place: number; readonly score: number }[] | undefined;
  /** How much of the question each entry, turn and session contains. */
  readonly coverage?: Coverage | undefined;
  /** Of the query with every place. Absent if nothing can be compared by meaning. */
  readonly cosines?: Float32Array | undefined;
  /** Only places in `words` may be found, because a phrase was asked for. */
  readonly wordsOnly?: boolean | undefined;
  /** Whose words the question is about. */
  readonly speaker?: 'user' | 'assistant' | undefined;
  readonly times?: readonly { readonly from: number; readonly until: number }[] | undefined;
  /** False if age says nothing, or is weighed elsewhere. */
  readonly recency?: boolean | undefined;
  /** True if it does not matter who of a session said something, the session's own agent or its subagent. */
  readonly subagentsAlike?: boolean | undefined;
}

export interface Ranked {
  readonly place: number;
  readonly score: number;
  /** Each from 0 to 1, as a share of the query's best: by words, by meaning. */
  readonly words: number;
  readonly meaning: number;
  /** The part of the score that comes from entries before and after it. */
  readonly near: number;
  /** The entry before it is a matching question. */
  readonly answers: boolean;
  /** From 0 to 1: how much of the matches stands in its session. */
  readonly session: number;
  /** Which of the times it falls into; -1 for none. */
  readonly time: number;
}

/** For an entry, words count more than meaning. For a session, meaning counts more. */
export const meaningOfEntry = 0.4;
export const meaningOfSession = 0.6;
/** Standing beside a match is not enough to be found, unless the entry answers it, or stands between two. */
const leastBeside = 0.3;
/** Entries with a smaller score of their own are skipped. Of many, the best are taken. */
const leastOwn = 0.1;
const mostMatches = 1000;
const shareOfSession = 0.3;

/** Everything known about a query and the places, before sorting. */
interface Weighed {
  readonly words: ReadonlyMap<number, number>;
  /** Its share of the best by meaning, and by words and meaning together. */
  meaning(place: number): number;
  own(place: number): number;
  /** The places that match by themselves, unsorted. */
  readonly matches: readonly number[];
  readonly sessions: ReadonlyMap<number, number>;
  boost(place: number): number;
  /** Close enough to be found without a word of the query. */
  isClose(place: number): boolean;
}

/** Entries, best first: each by its own words and meaning, by its neighbours, and by its session. */
export function rankEntries(input: RankInput, limit: number): Ranked[] {
  const weighed = weigh(input);
  const { words, own, matches, sessions } = weighed;
  const lent = lend(input, weighed);
  const strongest = matches.reduce((most, place) => Math.max(most, own(place)), 0);
  const score = (place: number) => own(place) + (lent.got[place] as number);
  const isFindable = (place: number) => {
    if (words.has(place) || input.wordsOnly) return words.has(place);
    return weighed.isClose(place) || (lent.byWords[place] === 1 && score(place) >= leastBeside * strongest);
  };
  const findable: number[] = [];
  const seen = bytes.take(input.places.size);
  for (const some of [words.keys(), matches, lent.touched])
    for (const place of some) {
      if (seen[place] === 0 && isFindable(place)) findable.push(place);
      seen[place] = 1;
    }
  const scores = new Float64Array(findable.length);
  for (const [i, place] of findable.entries()) scores[i] = score(place) * weighed.boost(place);
  const best = scores.reduce((most, one) => Math.max(most, one), 0);
  for (const [i, place] of findable.entries())
    scores[i] =
      (scores[i] as number) + shareOfSession * best * (sessions.get(input.places.session[place] as number) ?? 0);
  const least = scores.toSorted().at(-limit) ?? 0;
  const ranked = findable.flatMap((place, i) => {
    const total = scores[i] as number;
    return total < least
      ? []
      : [
          rankedAt(input, weighed, place, {
            score: total,
            near: lent.got[place] as number,
            answers: lent.answers[place] === 1,
          }),
        ];
  });
  floats.giveBack(lent.got);
  for (const array of [lent.answers, lent.byWords, seen]) bytes.giveBack(array);
  return inOrder(ranked, input.places).slice(0, limit);
}

/** Everything that matches by itself, best first, for whole sessions and conversations, which contain the neighbours anyway. */
export function rankAlone(input: RankInput<Standing>, ofMeaning = meaningOfSession): Ranked[] {
  const weighed = weigh(input);
  const { words, meaning, matches, boost } = weighed;
  const share = input.cosines === undefined ? 0 : ofMeaning;
  const findable = [...new Set([...words.keys(), ...matches])].filter(
    (place) => words.has(place) || weighed.isClose(place),
  );
  const ranked = findable.map((place) =>
    rankedAt(input, weighed, place, {
      score: ((1 - share) * (words.get(place) ?? 0) + share * meaning(place)) * boost(place),
      near: 0,
      answers: false,
    }),
  );
  return inOrder(ranked, input.places);
}

function weigh(input: RankInput<Standing>): Weighed {
  const { wordsOnly = false } = input;
  const words = wordScores(input);
  const near = nearnessOf(input);
  const byMeaning = near === undefined ? 0 : meaningOfEntry;
  const meaning = (place: number) => near?.score(place) ?? 0;
  const own = (place: number) => {
    const score = words.get(place);
    if (score === undefined && wordsOnly) return 0;
    return (1 - byMeaning) * (score ?? 0) + byMeaning * meaning(place);
  };
  const close = wordsOnly || near === undefined ? [] : near.from(leastOwn / byMeaning);
  return {
    words,
    meaning,
    own,
    matches: bestOf([...words.keys(), ...close.filter((place) => !words.has(place))], own),
    sessions: sessionShares(input, words),
    boost: boostsOf(input),
    isClose: (place) => !wordsOnly && near !== undefined && near.isClose(place),
  };
}

/** What is known about a place that was not ranked by its text. */
export function unranked(input: RankInput, place: number, meaning: number): Ranked {
  const time = timeOf(input, input.places.at[place] as number);
  return { place, score: 0, words: 0, meaning, near: 0, answers: false, session: 0, time };
}

/** Field by field: a search makes two thousand of them. */
const rankedAt = (
  input: RankInput<Standing>,
  { words, meaning, sessions }: Weighed,
  place: number,
  { score, near, answers }: Pick<Ranked, 'score' | 'near' | 'answers'>,
): Ranked => ({
  place,
  score,
  near,
  answers,
  words: words.get(place) ?? 0,
  meaning: meaning(place),
  session: sessions.get(input.places.session[place] as number) ?? 0,
  time: timeOf(input, input.places.at[place] as number),
});

/** The best of each group, best first. `keyOf` undefined: it belongs to no group. */
export function grouped<Key>(ranked: readonly Ranked[], keyOf: (place: number) => Key | undefined): Map<Key, Ranked> {
  const groups = new Map<Key, Ranked>();
  for (const one of ranked) {
    const key = keyOf(one.place);
    if (key !== undefined && !groups.has(key)) groups.set(key, one);
  }
  return groups;
}

const inOrder = (ranked: readonly Ranked[], { at, rowid }: Standing): Ranked[] =>
  ranked.toSorted(
    (a, b) =>
      b.score - a.score ||
      (at[b.place] as number) - (at[a.place] as number) ||
      (rowid[a.place] as number) - (rowid[b.place] as number),
  );

/** BM25 as a share of the best. */
function wordScores({ words, scope }: RankInput<Standing>): Map<number, number> {
  const found = words.filter(({ place }) => scope === undefined || scope[place] === 1);
  const best = found.reduce((most, { score }) => Math.max(most, score), 0);
  return new Map(found.map(({ place, score }) => [place, best > 0 ? score / best : 0]));
}

function bestOf(places: readonly number[], own: (place: number) => number): number[] {
  const scores = new Float64Array(places.length);
  for (const [i, place] of places.entries()) scores[i] = own(place);
  // Counted in steps of a thousandth: sorting everything that is somewhat close would take longer than all the rest.
  const counts = new Uint32Array(1001);
  const stepOf = (score: number) => Math.min(1000, Math.floor(score * 1000));
  for (const score of scores) if (score >= leastOwn) counts[stepOf(score)] = (counts[stepOf(score)] as number) + 1;
  let least = 1000;
  for (let sum = counts[least] as number; least > 0 && sum + (counts[least - 1] as number) <= mostMatches; )
    sum += counts[--least] as number;
  return places.filter((_, i) => (scores[i] as number) >= leastOwn && (scores[i] as number) * 1000 >= least);
}

/** The three best matches of each session, by words, as a share of the best session. */
function sessionShares({ places }: RankInput<Standing>, words: ReadonlyMap<number, number>): Map<number, number> {
  const bySession = new Map<number, number[]>();
  for (const [place, score] of words) {
    const session = places.session[place] as number;
    const scores = bySession.get(session);
    if (scores === undefined) bySession.set(session, [score]);
    else scores.push(score);
  }
  const sums = [...bySession].map(([session, scores]): [number, number] => {
    scores.sort((a, b) => b - a);
    return [session, (scores[0] ?? 0) + (scores[1] ?? 0) / 2 + (scores[2] ?? 0) / 3];
  });
  const most = sums.reduce((best, [, sum]) => Math.max(best, sum), 0);
  return new Map(sums.map(([session, sum]) => [session, most > 0 ? sum / most : 0]));
}
