// ④ What is known about an entry for a query, as numbers from 0 to 1. The weights (weights.ts) combine them into one score.

import { flag, type Places } from '../vectors/places.ts';
import type { Coverage } from './coverage.ts';
import type { Nearness } from './nearness.ts';
import { bestThree, type Summed } from './turn-scores.ts';

/** The order is the same everywhere. */
export const featureNames = [
  'said',
  'inTurn',
  'words',
  'uses',
  'meaning',
  'nearWords',
  'nearMeaning',
  'turnWords',
  'turnMeaning',
  'promptWords',
  'promptMeaning',
  'sessionTurns',
  'prompt',
  'length',
  'used',
  'last',
  'covered',
  'turnCovered',
  'subagent',
  // Of the text and the tools, known for the best entries alone.
  'announces',
  'failed',
  'commandAsked',
  'errorAsked',
  'reasonAsked',
  'requestAsked',
  'placeAsked',
] as const;
export type FeatureName = (typeof featureNames)[number];
export type Features = Float64Array;

export const at = Object.fromEntries(featureNames.map((name, i) => [name, i])) as Readonly<Record<FeatureName, number>>;

export interface FeatureInput {
  readonly places: Places;
  /** BM25 of the texts, and of the tools' inputs and outputs, by place. */
  readonly words: ReadonlyMap<number, number>;
  readonly uses: ReadonlyMap<number, number>;
  readonly near: Nearness | undefined;
  /** How much of the question entries and turns contain. */
  readonly coverage: Coverage | undefined;
  /** Places that are close in meaning, whose turns are worth reading. */
  readonly close: readonly number[];
  /** The score of an entry by its own and its neighbours' words, as a share of the best. */
  said(place: number): number;
  /** True if it does not matter whether the session's own agent or its subagent said something. */
  readonly subagentsAlike?: boolean | undefined;
}

export interface FeatureSource {
  /** Writes the features of a place into an array, and returns it. */
  into(features: Features, place: number): Features;
  /** Turns and how much of the query each has. */
  readonly turns: Summed;
}

/** The weight of a match in a tool use, compared with one in a sentence. */
const shareOfUses = 0.7;
/** The weight of entries one, two and three places away. */
const reach = [1, 1 / 2, 1 / 4] as const;

export function featuresOf(input: FeatureInput): FeatureSource {
  const { places, words, uses, near, coverage, close, said, subagentsAlike = false } = input;
  const { turn, session, next, previous, flags, length } = places;
  const lexical = new Map<number, number>();
  for (const [place, score] of words) lexical.set(place, score);
  for (const [place, score] of uses) lexical.set(place, (lexical.get(place) ?? 0) + shareOfUses * score);
  const best = most(lexical.values());
  const bestUses = most(uses.values());
  const wordsOf = (place: number): number => (best > 0 ? (lexical.get(place) ?? 0) / best : 0);
  const meaningOf = (place: number): number => near?.score(place) ?? 0;
  const matches = new Set([...lexical.keys(), ...close]);
  const inTurn = (of: (place: number) => number): Summed =>
    bestThree(pairs(matches, (place) => [turn[place] as number, of(place)]));
  const byWords = inTurn(wordsOf);
  const byMeaning = inTurn(meaningOf);
  const turns = bestThree(
    pairs(new Set(pairs(matches, (place) => turn[place] as number)), (first) => [
      first,
      byWords.share(first) + byMeaning.share(first),
    ]),
  );
  const sessions = bestThree(
    pairs(new Set(pairs(matches, (place) => turn[place] as number)), (first) => [
      session[first] as number,
      turns.share(first),
    ]),
  );

  function around(place: number, of: (place: number) => number): number {
    const own = turn[place];
    let sum = 0;
    for (const direction of [previous, next]) {
      let other = direction[place] as number;
      for (const share of reach) {
        if (other < 0 || turn[other] !== own) break;
        sum += share * of(other);
        other = direction[other] as number;
      }
    }
    return sum / 3.5;
  }

  return {
    turns,
    into(features, place) {
      features.fill(0);
      features[at.said] = said(place);
      features[at.subagent] = !subagentsAlike && ((flags[place] as number) & flag.subagent) !== 0 ? 1 : 0;
      const first = turn[place] as number;
      // Without tools it is a plain conversation: words alone decide, which measured best there.
      if (((flags[first] as number) & flag.toolsInTurn) === 0) return features;
      const begins = ((flags[first] as number) & flag.prompt) !== 0;
      const after = next[place] as number;
      features[at.inTurn] = 1;
      features[at.words] = wordsOf(place);
      features[at.uses] = bestUses > 0 ? (uses.get(place) ?? 0) / bestUses : 0;
      features[at.meaning] = meaningOf(place);
      features[at.nearWords] = around(place, wordsOf);
      features[at.nearMeaning] = around(place, meaningOf);
      features[at.turnWords] = byWords.share(first);
      features[at.turnMeaning] = byMeaning.share(first);
      features[at.promptWords] = begins ? wordsOf(first) : 0;
      features[at.promptMeaning] = begins ? meaningOf(first) : 0;
      features[at.sessionTurns] = sessions.share(session[place] as number);
      features[at.prompt] = place === first && begins ? 1 : 0;
      const used = ((flags[place] as number) & flag.usedTools) !== 0;
      const size = Math.max(0, (length[place] as number) - (used ? 0 : shortest));
      features[at.length] = Math.min(1, Math.log1p(size) / 8);
      features[at.used] = used ? 1 : 0;
      features[at.covered] = coverage?.entry(place) ?? 0;
      features[at.turnCovered] = coverage?.turn(first) ?? 0;
      features[at.last] = after < 0 || turn[after] !== first ? 1 : 0;
      return features;
    },
  };
}

/** Without tools, a text of a few words counts as empty: the weights were learned that way. */
const shortest = 20;

function most(values: Iterable<number>): number {
  let best = 0;
  for (const value of values) if (value > best) best = value;
  return best;
}

function* pairs<A, B>(all: Iterable<A>, make: (one: A) => B): Generator<B> {
  for (const one of all) yield make(one);
}
