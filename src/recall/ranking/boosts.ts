// ④ What raises or lowers an entry a little, whatever it says.

import { flag } from '../vectors/places.ts';
import type { RankInput, Standing } from './rank.ts';

const speakerBoost = 0.5;
const timeBoost = 0.3;
/** Enough to decide between equals; it halves every 90 days. */
const recencyBoost = 0.02;
const recencyHalfLife = 90 * 86_400_000;
/** Of two entries that match equally well, the session's own comes before its subagent's. */
const shareOfSubagent = 0.95;

export function boostsOf(input: RankInput<Standing>): (place: number) => number {
  const { speaker, recency = true, subagentsAlike = false } = input;
  const { at, flags, role, size } = input.places;
  // Not the clock: the same store gives the same answer.
  const newest = greatest(at, size);
  const wanted = speaker === undefined ? -1 : speaker === 'user' ? 0 : 1;
  return (place) => {
    const then = timeOf(input, at[place] as number) >= 0 ? 1 + timeBoost : 1;
    const said = role[place] === wanted ? 1 + speakerBoost : 1;
    const late = recency ? 1 + recencyBoost * 2 ** (((at[place] as number) - newest) / recencyHalfLife) : 1;
    const own = !subagentsAlike && ((flags[place] as number) & flag.subagent) !== 0 ? shareOfSubagent : 1;
    return said * then * late * own;
  };
}

/** Which of the requested times it falls into; -1 for none. */
export const timeOf = ({ times = [] }: RankInput<Standing>, at: number): number =>
  times.findIndex(({ from, until }) => at >= from && at < until);

function greatest(values: Float64Array, size: number): number {
  let most = 0;
  for (let i = 0; i < size; i++) if ((values[i] as number) > most) most = values[i] as number;
  return most;
}
