import { parseKeywords } from '../src/recall/question/keywords.ts';
import type { DerivedKind } from '../src/schema/hit-text.ts';
import type { DerivedAt, DistilledFilter } from '../src/store/distilled/port.ts';
import type { Store } from '../src/store/store.ts';

/** Memories that contain the words, best first. */
export async function holding(
  store: Store,
  kind: DerivedKind,
  words: string,
  filter: DistilledFilter = {},
): Promise<readonly DerivedAt[]> {
  const found = (await store.distilled.search(kind, parseKeywords(words), filter))
    .flatMap(({ row, score }) => (score === undefined ? [] : [{ row, score }]))
    .sort((a, b) => b.score - a.score);
  return store.distilled.at(
    kind,
    found.map(({ row }) => row),
  );
}
