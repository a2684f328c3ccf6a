// ④ How well a turn matches the query: its best entries by words and by meaning. A question usually matches a turn as a whole; the
// answering entry is then chosen inside it.
import type { Places } from '../vectors/places.ts';

/** The three best of a turn or a session, each worth less than the one before. */
const shares = [1, 1 / 2, 1 / 3] as const;

export interface Summed {
  /** From 0 to 1: the group's score as a share of the best group. */
  share(group: number): number;
  /** The groups with a score, best first. */
  best(most: number): number[];
}

/** Adds up the three best scores of each group. */
export function bestThree(scores: Iterable<readonly [group: number, score: number]>): Summed {
  const groups = new Map<number, [number, number, number]>();
  for (const [group, score] of scores) {
    if (score <= 0) continue;
    const top = groups.get(group);
    if (top === undefined) groups.set(group, [score, 0, 0]);
    else if (score > top[0]) groups.set(group, [score, top[0], top[1]]);
    else if (score > top[1]) groups.set(group, [top[0], score, top[1]]);
    else if (score > top[2]) groups.set(group, [top[0], top[1], score]);
  }
  const sums = new Map<number, number>();
  let most = 0;
  for (const [group, top] of groups) {
    const sum = top[0] * shares[0] + top[1] * shares[1] + top[2] * shares[2];
    sums.set(group, sum);
    if (sum > most) most = sum;
  }
  return {
    share: (group) => (most > 0 ? (sums.get(group) ?? 0) / most : 0),
    best: (count) =>
      [...sums]
        .sort(([a, x], [b, y]) => y - x || a - b)
        .slice(0, count)
        .map(([group]) => group),
  };
}

/** How many entries of a turn are considered: its beginning says what is to be done, and entries around matches are known anyway. */
const mostOfTurn = 400;

/** The places of a turn, from its first on, up to `mostOfTurn`. */
export function placesOfTurn({ next, turn }: Pick<Places, 'next' | 'turn'>, first: number): number[] {
  const found: number[] = [];
  for (
    let place = first;
    place >= 0 && turn[place] === first && found.length < mostOfTurn;
    place = next[place] as number
  )
    found.push(place);
  return found;
}
