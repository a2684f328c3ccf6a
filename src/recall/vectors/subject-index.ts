// The vectors of one kind other than entries: some thousand, compared as a whole. Their numbers show what came and went.
import type { Store } from '../../store/store.ts';
import type { SubjectKind } from '../../store/vectors/port.ts';
import { floats } from './scratch.ts';
import { openSlots, type Slots } from './slots.ts';

export interface SubjectIndex {
  /** Reads what has changed. */
  update(): Promise<void>;
  /** The cosine of the query with each subject that has a vector, by its row; the best of its parts. */
  scan(query: Int8Array): Promise<ReadonlyMap<number, number>>;
}

const vectorsAtOnce = 512;

export function openSubjectIndex(
  store: Pick<Store, 'vectors'>,
  kind: SubjectKind,
  model: string,
  ceiling: number,
): SubjectIndex {
  let slots: Slots | undefined;
  /** By the number of the vector. */
  const held = new Map<number, { readonly slot: number; readonly id: number }>();

  return {
    async update() {
      const { seqs } = await store.vectors.numbers({ kind, model });
      const current = new Set(seqs);
      for (const [seq, { slot }] of held) {
        if (current.has(seq)) continue;
        slots?.remove(slot);
        held.delete(seq);
      }
      const fresh = seqs.filter((seq) => !held.has(seq));
      for (let from = 0; from < fresh.length; from += vectorsAtOnce) {
        const page = await store.vectors.at(fresh.slice(from, from + vectorsAtOnce));
        if (page.seqs.length === 0) continue;
        const dimensions = page.vectors.length / page.seqs.length;
        slots ??= openSlots({ dimensions, ceiling, read: (numbers) => store.vectors.at(numbers) });
        const taken = slots.add(page.seqs, page.vectors);
        for (const [i, seq] of page.seqs.entries())
          held.set(seq, { slot: taken[i] as number, id: page.ids[i] as number });
      }
    },
    async scan(query) {
      const best = new Map<number, number>();
      const cosines = await slots?.scan(query);
      for (const { slot, id } of held.values()) {
        const cosine = cosines?.[slot] ?? 0;
        if (cosine > (best.get(id) ?? Number.NEGATIVE_INFINITY)) best.set(id, cosine);
      }
      floats.giveBack(cosines);
      return best;
    },
  };
}
