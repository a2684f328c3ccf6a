// ④ Ranks entries by everything that is known about them: their text, their tools, their turn and their session. Numbers in, numbers out.
import { at, type Features, featureNames, featuresOf } from './features.ts';
import { nearnessOf } from './nearness.ts';
import { type Ranked, type RankInput, rankEntries, unranked } from './rank.ts';
import { placesOfTurn } from './turn-scores.ts';
import { weights } from './weights.ts';

export interface Weighed extends Ranked {
  readonly features: Features;
}

/** How many are ranked by their own and their neighbours' words. Later ones have nothing of the query. */
const mostSaid = 1500;
/** All entries of this many turns are considered: the one that answers may contain no word of the query. */
const mostTurns = 40;
/** From this nearness on, an entry counts for its turn. Of many, the nearest counts. */
const leastNear = 0.4;
const mostNear = 2000;

/** Entries, best first. Without tools, this is the order by words. */
export function rankInTurns(input: RankInput, limit: number): Weighed[] {
  const { places, scope, wordsOnly = false } = input;
  const said = rankEntries(input, places.hasTools ? Math.max(limit, mostSaid) : limit);
  const best = said[0]?.score ?? 0;
  if (!places.hasTools)
    return said.map((one) => ({ ...one, score: share(one.score, best), features: alone(one, best) }));
  const ranked = new Map(said.map((one) => [one.place, one]));
  const isWanted = (place: number) => scope === undefined || scope[place] === 1;
  const scores = (all: RankInput['words']) =>
    new Map(all.filter(({ place }) => isWanted(place)).map(({ place, score }) => [place, score]));
  const words = scores(input.words);
  const uses = scores(input.uses ?? []);
  const near = wordsOnly ? undefined : nearnessOf(input);
  const close = nearest(near?.from(leastNear) ?? [], (place) => near?.score(place) ?? 0);
  const features = featuresOf({
    places,
    words,
    uses,
    near,
    coverage: input.coverage,
    close,
    said: (place) => share(ranked.get(place)?.score ?? 0, best),
    subagentsAlike: input.subagentsAlike,
  });
  const candidates = new Set([...ranked.keys(), ...uses.keys()]);
  // Some turn is always the nearest. If nothing has a word of the query or is close to it, that turn is not an answer.
  if (candidates.size === 0) return [];
  if (!wordsOnly)
    for (const turn of features.turns.best(mostTurns))
      for (const place of placesOfTurn(places, turn)) if (isWanted(place)) candidates.add(place);
  const all = [...candidates];
  const sums = new Float64Array(all.length);
  const room: Features = new Float64Array(featureNames.length);
  for (const [i, place] of all.entries()) sums[i] = scoreOf(features.into(room, place));
  // Only the best become objects: the turns have ten times as many entries.
  const least = sums.toSorted().at(-limit) ?? Number.NEGATIVE_INFINITY;
  const weighed: Weighed[] = [];
  for (const [i, place] of all.entries()) {
    const score = sums[i] as number;
    if (score < least) continue;
    const known = ranked.get(place) ?? unranked(input, place, near?.score(place) ?? 0);
    weighed.push({ ...known, features: features.into(new Float64Array(featureNames.length), place), score });
  }
  weighed.sort((a, b) => b.score - a.score || (places.at[b.place] as number) - (places.at[a.place] as number));
  return weighed.slice(0, limit);
}

const weightList = featureNames.map((name) => weights[name]);
/** Whatever speaks against an entry, it has been found. */
const leastScore = 1e-3;

export function scoreOf(features: Features): number {
  let sum = 0;
  for (let i = 0; i < weightList.length; i++) sum += (weightList[i] as number) * (features[i] as number);
  return Math.max(leastScore, sum);
}

const share = (score: number, best: number): number => (best > 0 ? score / best : 0);

function alone({ score }: Ranked, best: number): Features {
  const features = new Float64Array(featureNames.length);
  features[at.said] = share(score, best);
  return features;
}

function nearest(places: readonly number[], nearness: (place: number) => number): readonly number[] {
  if (places.length <= mostNear) return places;
  return places.toSorted((a, b) => nearness(b) - nearness(a)).slice(0, mostNear);
}
