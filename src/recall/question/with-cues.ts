// ④ A second ranking of the best entries, with what their texts and tools say.

import type { UseAt } from '../../store/entries/port.ts';
import type { Store } from '../../store/store.ts';
import { scoreOf, type Weighed } from '../ranking/rank-turns.ts';
import { flag, type Places } from '../vectors/places.ts';
import { addCues, cuesOf } from './cues.ts';

/** Adds features of texts and tools for the first `looked`, and returns all of them in order. */
export async function withCues(
  {
    store,
    places,
    question,
  }: { readonly store: Pick<Store, 'entries'>; readonly places: Places; readonly question: string },
  ranked: readonly Weighed[],
  looked: number,
): Promise<readonly Weighed[]> {
  if (!places.hasTools) return ranked;
  const best = ranked.slice(0, looked);
  const rows = best.map(({ place }) => places.rowid[place] as number);
  const texts = new Map((await store.entries.beginningsAt(rows)).map(({ row, text }) => [row, text]));
  const uses = new Map<number, UseAt[]>();
  for (const use of await store.entries.usesAt(rows)) {
    const others = uses.get(use.row);
    if (others === undefined) uses.set(use.row, [use]);
    else others.push(use);
  }
  const cues = cuesOf(question);
  const again = best.map((one, i) => {
    const row = rows[i] as number;
    const prompt = ((places.flags[one.place] as number) & flag.prompt) !== 0;
    addCues(one.features, cues, { text: texts.get(row) ?? '', prompt, uses: uses.get(row) ?? [] });
    return { ...one, score: scoreOf(one.features) };
  });
  return [...again, ...ranked.slice(looked)].sort((a, b) => b.score - a.score);
}
