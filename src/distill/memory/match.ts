// Matches the blocks of a page before and after an edit: by the same text, the same key, or similar words.
import type { Block } from './blocks.ts';
import { keyOf } from './names.ts';
import { keyInLine, type TargetBlock } from './page.ts';

export interface Pair {
  readonly old?: TargetBlock;
  readonly now?: Block;
}

/** Above this product of lengths the exact comparison would take too long. */
const exact = 4_000_000;
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

/** The longest common subsequence, after skipping equal blocks at both ends. */
function sameTexts(old: readonly Block[], now: readonly Block[]): (readonly [number, number])[] {
  const same = (i: number, j: number) => old[i]?.text === now[j]?.text;
  let from = 0;
  while (from < old.length && from < now.length && same(from, from)) from++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - from && same(old.length - 1 - tail, now.length - 1 - tail)) tail++;
  const [n, m] = [old.length - from - tail, now.length - from - tail];
  const found: (readonly [number, number])[] = Array.from({ length: from }, (_, i) => [i, i] as const);
  if (n * m <= exact) {
    const length = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
    const row = (i: number) => length[i] as Uint16Array;
    for (let i = n - 1; i >= 0; i--)
      for (let j = m - 1; j >= 0; j--)
        row(i)[j] = same(from + i, from + j)
          ? (row(i + 1)[j + 1] as number) + 1
          : Math.max(row(i + 1)[j] as number, row(i)[j + 1] as number);
    for (let i = 0, j = 0; i < n && j < m; ) {
      if (same(from + i, from + j)) found.push([from + i++, from + j++]);
      else if ((row(i + 1)[j] as number) >= (row(i)[j + 1] as number)) i++;
      else j++;
    }
  } else {
    // Good enough for pages of thousands of blocks that have little in common.
    const next = inTurn(now.slice(from, from + m).map(({ text }) => text));
    for (let i = from, last = from - 1; i < from + n; i++) {
      const j = next((old[i] as Block).text, last + 1 - from);
      if (j === undefined) continue;
      found.push([i, from + j]);
      last = from + j;
    }
  }
  for (let i = tail; i > 0; i--) found.push([old.length - i, now.length - i]);
  return found;
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
  if (old.length * now.length <= exact / 100) {
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
