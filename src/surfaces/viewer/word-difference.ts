// The difference of two texts, word by word. Texts that are too long or too different are shown whole.
import { diffWordsWithSpace } from 'diff';

interface Part {
  readonly value: string;
  readonly added?: boolean | undefined;
  readonly removed?: boolean | undefined;
}

/** People do not read more than this word by word, and the time grows with length times changes. */
const longest = 100_000;
const mostChanges = 2000;

export function wordDifference(before: string, after: string): readonly Part[] {
  const parts =
    before.length + after.length > longest
      ? undefined
      : diffWordsWithSpace(before, after, { maxEditLength: mostChanges });
  return (
    parts ?? [
      { value: before, removed: true },
      { value: after, added: true },
    ]
  );
}
