// Finds the turns whose work the person took back soon after, so that they do not name the session.
import type { Reading } from './observe.ts';

const please = String.raw`^(?:(?:ok(?:ay)?|no|hm+|actually|please|sorry|wait|can you|could you|let's|just)\b\W*)*`;
/** Takes back what the agent did last. */
const reverts = new RegExp(
  `${please}(?:revert|undo|roll back|back out|scrap)\\s+(?:this|that|it|these|those|all|everything|(?:the|your) (?:last )?(?:changes?|commits?|edits?))\\b`,
  'i',
);
/** Replaces a plan, which the agent may have followed for more than one turn. */
const replans =
  /\bchange (?:in|of) (?:the )?plans?\b|\bnew plan:|\b(?:scrap|forget|drop) (?:the|that|this) (?:plan|idea|approach)\b/i;
const farthest = 2;

/** Places of the turns that the person took back. */
export function takenBack(readings: readonly Reading[]): ReadonlySet<number> {
  const places = new Set<number>();
  for (const [i, { turn }] of readings.entries()) {
    const text = turn.request?.text.slice(0, 600).trim() ?? '';
    const back = reverts.test(text) ? 1 : replans.test(text) ? farthest : 0;
    if (back === 0) continue;
    const worked = [...readings.keys()].slice(0, i).filter((place) => (readings[place]?.turn.toolUses.length ?? 0) > 0);
    for (const place of worked.slice(-back)) places.add(place);
  }
  return places;
}
