// The places of all entries and the vectors of one model: loaded as a whole, then updated session by session as they change.
import type { Store } from '../../store/store.ts';
import type { PlacePage } from '../../store/vectors/port.ts';
import { openPlaceVectors, type PlaceVectors, type VectorScan } from './place-vectors.ts';
import { type GrowingPlaces, openPlaces, type Places } from './places.ts';

const sessionsAtOnce = 100;
const vectorsAtOnce = 512;

export interface EntryIndex extends VectorScan {
  readonly model: string | undefined;
  readonly places: Places;
  /** Reads everything; once, before the first update. */
  load(): Promise<void>;
  /** Reads what has changed. */
  update(): Promise<void>;
}

/** `ceiling`: bytes that vectors may take in memory; `restMs`: see `openPlaces`. */
export function openEntryIndex(
  store: Pick<Store, 'vectors'>,
  model: string | undefined,
  ceiling: number,
  restMs?: number,
): EntryIndex {
  let position = 0;
  // Each needs the other: a place that goes drops its vectors, and vectors are taken for places.
  const vectors: PlaceVectors = openPlaceVectors(() => places, { ceiling, read: (seqs) => store.vectors.at(seqs) });
  const places: GrowingPlaces = openPlaces(vectors.drop, restMs);

  /** Reads the vectors of places whose vectors have changed. */
  async function renew({ ids, vectors: newest }: PlacePage): Promise<void> {
    const changed: number[] = [];
    for (const [i, id] of ids.entries()) {
      const place = id === 0 ? -1 : places.placeOf(id);
      if (place < 0) continue;
      const seq = newest[i] as number;
      if (vectors.seqAt(place) === seq) continue;
      vectors.drop(place);
      if (seq !== 0) changed.push(id);
    }
    for (let from = 0; from < changed.length && model !== undefined; from += vectorsAtOnce) {
      vectors.take(await store.vectors.of(changed.slice(from, from + vectorsAtOnce), { kind: 'entry', model }));
      await others();
    }
  }

  async function update(): Promise<void> {
    for (let done = false; !done; ) {
      const page = await store.vectors.placesAfter(position, { model: model ?? '', limit: sessionsAtOnce });
      places.apply(page);
      await renew(page);
      ({ position, done } = page);
      if (!done) await others();
    }
  }

  return {
    model,
    places,
    async load() {
      for (let done = false; !done; ) {
        const page = await store.vectors.placesAfter(position, { limit: sessionsAtOnce });
        places.apply(page);
        ({ position, done } = page);
        await others();
      }
      for (let seq = 0; model !== undefined; ) {
        const page = await store.vectors.after(seq, { kind: 'entry', model, limit: vectorsAtOnce });
        if (page.ids.length === 0) break;
        vectors.take(page);
        seq = page.seqs.at(-1) as number;
        await others();
      }
    },
    update,
    scan: vectors.scan,
    isRough: vectors.isRough,
    similarity: vectors.similarity,
  };
}

/** A load takes a while, and the worker has hooks to answer. */
const others = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
