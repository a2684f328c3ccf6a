// Matches the blocks of a page before and after an edit: by the same text, the same key, or similar words.
import { diffArrays } from 'diff';
import type { Block } from './blocks.ts';
import { keyInLine } from './fact-line.ts';
import { keyOf } from './names.ts';
import type { TargetBlock } from './page.ts';

export interface Pair {
  readonly old?: TargetBlock;
  readonly now?: Block;
}

/** Above this number of removed and added blocks the exact comparison would take too long. */
const mostChanges = 1000;
/** Above this product of lengths comparing the words of all blocks would take too long. */
const mostComparisons = 40_000;
/** Two blocks that share at least half of their words count as one changed block. */
const alike = 0.5;

/** In the order of the file. Removed blocks stay where they were. */
export function matchBlocks(old: readonly TargetBlock[], now: readonly Block[]): Pair[] {
  return [true, false].flatMap((front) =>
    matchZone(
      old.filter((block) => block.front === front),
      now.filter((block) => block.front === front),
    ),
  );
}

function matchZone(old: readonly TargetBlock[], now: readonly Block[]): Pair[] {
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  for (const [oldAt, nowAt] of [...sameTexts(old, now), [old.length, now.length] as const]) {
    pairs.push(...matchGap(old.slice(i, oldAt), now.slice(j, nowAt)));
    const [a, b] = [old[oldAt], now[nowAt]];
    if (a && b) pairs.push({ old: a, now: b });
    [i, j] = [oldAt + 1, nowAt + 1];
  }
  return pairs;
}

/** The blocks that both pages hold with the same text, as [old, now] in the order of the file. */
function sameTexts(old: readonly Block[], now: readonly Block[]): (readonly [number, number])[] {
  const [before, after] = [old.map(({ text }) => text), now.map(({ text }) => text)];
  const parts = diffArrays(before, after, { maxEditLength: mostChanges });
  if (parts === undefined) return sameInTurn(before, after);
  const found: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  for (const { added, removed, value } of parts) {
    if (!added && !removed) for (const k of value.keys()) found.push([i + k, j + k]);
    if (!added) i += value.length;
    if (!removed) j += value.length;
  }
  return found;
}

/** Good enough for pages of thousands of blocks that have little in common. */
function sameInTurn(before: readonly string[], after: readonly string[]): (readonly [number, number])[] {
  const next = inTurn(after);
  let last = -1;
  return before.flatMap((text, i) => {
    const j = next(text, last + 1);
    if (j === undefined) return [];
    last = j;
    return [[i, j] as const];
  });
}

/** Returns a function that finds the next index of a name, starting at `from`. It returns each index once and never goes back. */
function inTurn(names: readonly (string | undefined)[]): (name: string, from?: number) => number | undefined {
  const places = new Map<string, { readonly at: number[]; next: number }>();
  names.forEach((name, place) => {
    if (name === undefined) return;
    const known = places.get(name);
    if (known === undefined) places.set(name, { at: [place], next: 0 });
    else known.at.push(place);
  });
  return (name, from = 0) => {
    const known = places.get(name);
    if (known === undefined) return undefined;
    while ((known.at[known.next] ?? from) < from) known.next++;
    return known.at[known.next++];
  };
}

/** Pairs the blocks between two equal ones: by key or field, then by words. A single old and a single new block of the same shape match too. */
function matchGap(old: readonly TargetBlock[], now: readonly Block[]): Pair[] {
  if (old.length === 0) return now.map((block) => ({ now: block }));
  if (now.length === 0) return old.map((block) => ({ old: block }));
  const partner = new Map<number, number>();
  const taken = new Set<number>();
  const pair = (j: number, i: number) => {
    partner.set(j, i);
    taken.add(i);
  };
  const nextNamed = inTurn(old.map(nameOf));
  now.forEach((block, j) => {
    const name = nameOf(block);
    const i = name === undefined ? undefined : nextNamed(name);
    if (i !== undefined) pair(j, i);
  });
  if (old.length * now.length <= mostComparisons) {
    const wordsOf = old.map(({ text }) => words(text));
    now.forEach((block, j) => {
      if (partner.has(j)) return;
      const own = words(block.text);
      const scores = old.map((each, i) =>
        taken.has(i) || shape(each) !== shape(block) ? 0 : likeness(wordsOf[i] as Set<string>, own),
      );
      const best = scores.reduce((top, score, i) => (score > (scores[top] as number) ? i : top), 0);
      if ((scores[best] as number) >= alike) pair(j, best);
    });
  }
  if (old.length === 1 && now.length === 1 && !partner.has(0) && shape(old[0]) === shape(now[0])) pair(0, 0);
  // Keep only pairs in order: a moved line counts as removed from its old place and added by the person in the new one.
  const kept = new Set<number>();
  let last = -1;
  const pairs: Pair[] = now.map((block, j) => {
    const i = partner.get(j) ?? -1;
    if (i <= last) return { now: block };
    last = i;
    kept.add(i);
    return { old: old[i] as TargetBlock, now: block };
  });
  const gone = old.filter((_, i) => !kept.has(i)).map((block) => ({ old: block }));
  return [...gone, ...pairs];
}

function nameOf({ text, front }: Block): string | undefined {
  if (front) return text.split(':')[0];
  const key = keyInLine(text);
  return key === undefined ? undefined : keyOf(key);
}

const shape = (block: Block | undefined): string => /^\s*([#-]|\d+\.)?/.exec(block?.text ?? '')?.[1] ?? '';

/** More words do not help to decide whether two blocks are the same. */
const mostWords = 2000;

const words = (text: string): Set<string> =>
  new Set(
    (
      text
        .slice(0, 10 * mostWords)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? []
    ).slice(0, mostWords),
  );

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared / Math.max(1, Math.max(one.size, other.size));
}
