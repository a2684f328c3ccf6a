// The places of all entries and the vectors of one model: loaded as a whole, then updated session by session as they change.
import type { Store } from '../../store/store.ts';
import type { PlacePage } from '../../store/vectors/port.ts';
import { openPlaceVectors, type PlaceVectors, type VectorScan } from './place-vectors.ts';
import { type GrowingPlaces, openPlaces, type Places } from './places.ts';

const sessionsAtOnce = 100;
const vectorsAtOnce = 2048;

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
  /** The number of the newest vector that was read. */
  let newest = 0;
  // Each needs the other: a place that goes drops its vectors, and vectors are taken for places.
  const vectors: PlaceVectors = openPlaceVectors(() => places, { ceiling, read: (seqs) => store.vectors.at(seqs) });
  const places: GrowingPlaces = openPlaces(vectors.drop, restMs);

  /** Reads the vectors of these entries. A search that runs meanwhile sees the old vectors or the new ones. */
  async function take(ids: readonly number[]): Promise<void> {
    for (let from = 0; from < ids.length && model !== undefined; from += vectorsAtOnce) {
      const some = ids.slice(from, from + vectorsAtOnce);
      const page = await store.vectors.of(some, { kind: 'entry', model });
      for (const id of some) vectors.drop(places.placeOf(id));
      vectors.take(page);
      await others();
    }
  }

  /** Reads the vectors of places whose vectors have changed. */
  async function renew({ ids, vectors: numbers }: PlacePage): Promise<void> {
    const changed: number[] = [];
    for (const [i, id] of ids.entries()) {
      const place = id === 0 ? -1 : places.placeOf(id);
      const seq = numbers[i] as number;
      if (place < 0 || vectors.seqAt(place) === seq) continue;
      if (seq === 0) vectors.drop(place);
      else changed.push(id);
    }
    await take(changed);
  }

  /** Reads vectors that are new, whose sessions may not have changed otherwise. */
  async function follow(of: string): Promise<void> {
    const last = await store.vectors.newest();
    while (newest < last) {
      const page = await store.vectors.after(newest, { kind: 'entry', model: of, limit: vectorsAtOnce });
      const isNew = (id: number, seq: number) => places.placeOf(id) >= 0 && vectors.seqAt(places.placeOf(id)) < seq;
      await take([...new Set(page.ids.filter((id, i) => isNew(id, page.seqs[i] as number)))]);
      // Vectors of other kinds and models lie between, and are not looked at again.
      newest = page.seqs.at(-1) ?? last;
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
    if (model !== undefined) await follow(model);
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
      while (model !== undefined) {
        const page = await store.vectors.after(newest, { kind: 'entry', model, limit: vectorsAtOnce });
        if (page.ids.length === 0) break;
        vectors.take(page);
        newest = page.seqs.at(-1) as number;
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
