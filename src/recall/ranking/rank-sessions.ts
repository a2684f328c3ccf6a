// ④ Ranked entries → ranked sessions: all good turns of a session count, not its best entry alone. Numbers in, numbers out.
import type { Places } from '../vectors/places.ts';
import type { Coverage } from './coverage.ts';
import { at, type Features } from './features.ts';
import type { Weighed } from './rank-turns.ts';
import { type SessionFeature, sessionFeatureNames, sessionWeights } from './session-weights.ts';
import { bestThree } from './turn-scores.ts';

/** How the scores of turns add up: the best counts most, and one that is 1 below it counts e^-2 of it. */
const sharpness = 2;

/** The sessions of these entries, best first, each with its best entry. `askedBy`: what the query looks like. */
export function rankSessions(
  { places, coverage }: { readonly places: Places; readonly coverage?: Coverage | undefined },
  entries: readonly Weighed[],
  askedBy: keyof typeof sessionWeights,
): Weighed[] {
  const { session, turn } = places;
  const best = entries[0]?.score ?? 0;
  const firsts = new Map<number, Weighed>();
  const scoreOfTurn = new Map<number, number>();
  const meaningOfTurn = new Map<number, number>();
  const wordsOfTurn = new Map<number, number>();
  for (const one of entries) {
    const first = turn[one.place] as number;
    const own = session[one.place] as number;
    if (!firsts.has(own)) firsts.set(own, one);
    raise(scoreOfTurn, first, one.score);
    raise(meaningOfTurn, first, one.meaning);
    raise(wordsOfTurn, first, one.features[at.turnWords] as number);
  }
  const sums = new Map<number, number>();
  for (const [first, score] of scoreOfTurn) {
    const own = session[first] as number;
    sums.set(own, (sums.get(own) ?? 0) + Math.exp(sharpness * (score - best)));
  }
  const bySession = (of: ReadonlyMap<number, number>) =>
    bestThree([...of].map(([first, value]) => [session[first] as number, value] as const));
  const [meanings, words] = [bySession(meaningOfTurn), bySession(wordsOfTurn)];
  const turnCovered = mostOf(scoreOfTurn.keys(), session, (first) => coverage?.turn(first) ?? 0);
  const nearest = mostOf(meaningOfTurn.keys(), session, (first) => meaningOfTurn.get(first) as number);
  const sizes = sizesOf(places);
  const weights = sessionWeights[askedBy];
  const ranked = [...firsts].map(([own, one]) => {
    const values: Record<SessionFeature, number> = {
      turns: Math.log((sums.get(own) ?? 0) + 1e-6) / 4,
      covered: coverage?.session(own) ?? 0,
      turnCovered: turnCovered.get(own) ?? 0,
      meaning: nearest.get(own) ?? 0,
      meanings: meanings.share(own),
      wordsOfTurns: words.share(own),
      turnCount: Math.log1p(sizes.turns[own] as number) / 5,
      entryCount: Math.log1p(sizes.entries[own] as number) / 8,
    };
    const features: Features = Float64Array.from(sessionFeatureNames, (name) => values[name]);
    const sum = sessionFeatureNames.reduce((total, name) => total + weights[name] * values[name], 0);
    // Always positive, and in the order of the sums.
    return { ...one, features, score: Math.exp(sum) };
  });
  return ranked.sort((a, b) => b.score - a.score);
}

function raise(of: Map<number, number>, key: number, value: number): void {
  if (value > (of.get(key) ?? Number.NEGATIVE_INFINITY)) of.set(key, value);
}

/** The largest value of each session, over these turns. */
function mostOf(firsts: Iterable<number>, session: Int32Array, of: (first: number) => number): Map<number, number> {
  const most = new Map<number, number>();
  for (const first of firsts) raise(most, session[first] as number, of(first));
  return most;
}

/** How many turns and entries each session has: a long one has something near to every question. */
function sizesOf({ size, session, turn, sessionCount }: Places): { turns: Int32Array; entries: Int32Array } {
  const turns = new Int32Array(sessionCount);
  const entries = new Int32Array(sessionCount);
  for (let place = 0; place < size; place++) {
    const own = session[place] as number;
    if (own < 0) continue;
    entries[own] = (entries[own] as number) + 1;
    if (turn[place] === place) turns[own] = (turns[own] as number) + 1;
  }
  return { turns, entries };
}
