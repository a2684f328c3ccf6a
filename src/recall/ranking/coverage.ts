// ④ How much of the question an entry, its turn and its session contain. A term counts by its rarity, and once, however often it occurs:
// BM25 prefers an entry that repeats one rare word to one that has all of them.
import type { Places } from '../vectors/places.ts';
import type { RankInput } from './rank.ts';

/** Each from 0 to 1. */
export interface Coverage {
  entry(place: number): number;
  /** By the first place of a turn. */
  turn(first: number): number;
  /** By the number of a session. */
  session(session: number): number;
}

/** Terms have a bit each. */
export const mostCovered = 30;

/** `rows`: the rows that contain each term, in the store's numbers. */
export function coverageOf(
  { places, scope }: Pick<RankInput<Places>, 'places' | 'scope'>,
  rows: readonly (readonly number[])[],
): Coverage {
  const { size, turn, session, placeOf, sessionCount } = places;
  const ofEntries = new Int32Array(size);
  const ofTurns = new Int32Array(size);
  const ofSessions = new Int32Array(sessionCount);
  const weights: number[] = [];
  for (const [term, found] of rows.slice(0, mostCovered).entries()) {
    const bit = 1 << term;
    let matches = 0;
    for (const row of found) {
      const place = placeOf(row);
      if (place < 0 || (scope !== undefined && scope[place] !== 1)) continue;
      const before = ofEntries[place] as number;
      if ((before & bit) !== 0) continue;
      matches++;
      ofEntries[place] = before | bit;
      const first = turn[place] as number;
      ofTurns[first] = (ofTurns[first] as number) | bit;
      const own = session[place] as number;
      ofSessions[own] = (ofSessions[own] as number) | bit;
    }
    // A term that occurs nowhere cannot be covered.
    weights.push(matches === 0 ? 0 : Math.log((size + 1) / (matches + 1)));
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const share = (terms: number): number => {
    if (terms === 0 || total === 0) return 0;
    let sum = 0;
    for (const [term, weight] of weights.entries()) if ((terms & (1 << term)) !== 0) sum += weight;
    return sum / total;
  };
  return {
    entry: (place) => share(ofEntries[place] as number),
    turn: (first) => share(ofTurns[first] as number),
    session: (number) => share(ofSessions[number] as number),
  };
}
