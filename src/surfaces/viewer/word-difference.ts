// Two texts → what changed between them, word by word; of texts that are too long or too different, all of both.
import { diffWordsWithSpace } from 'diff';

interface Part {
  readonly value: string;
  readonly added?: boolean | undefined;
  readonly removed?: boolean | undefined;
}

/** More is not read word by word, and the time grows with the product of length and changes. */
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
