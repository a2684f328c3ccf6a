// The places of all entries and the vectors of one model: loaded as a whole, then updated session by session as they change.
import type { Store } from '../../store/store.ts';
import type { PlacePage, VectorPage } from '../../store/vectors/port.ts';
import { flag, type GrowingPlaces, openPlaces, type Places } from './places.ts';
import { floats } from './scratch.ts';
import { openSlots, type Slots } from './slots.ts';

export interface VectorScan {
  /**
   * The cosine of the query with the entry at each place; 0 without a vector. Above the memory ceiling exact for the nearest, an estimate
   * for the others. The caller may return them to the pool (`floats`) after ranking.
   */
  scan(query: Int8Array): Promise<Float32Array>;
  /** Whether reading the entry closely would give it a better vector. */
  isRough(place: number): boolean;
  /** The cosine of the entries at two places. */
  similarity(a: number, b: number): number;
}

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
  /** The slot of each place; -1 without a vector. The slots of further parts follow in `nextPart`. */
  let slotOf = new Int32Array(1024).fill(-1);
  const nextPart = new Map<number, number>();
  let owner = new Int32Array(1024);
  let slots: Slots | undefined;
  let position = 0;
  const places: GrowingPlaces = openPlaces(dropVectors, restMs);

  function dropVectors(place: number): void {
    for (let slot = slotOf[place] ?? -1; slot >= 0; ) {
      slots?.remove(slot);
      const next = nextPart.get(slot) ?? -1;
      nextPart.delete(slot);
      slot = next;
    }
    if (place < slotOf.length) slotOf[place] = -1;
    places.flags[place] = (places.flags[place] as number) | flag.noVector;
  }

  function take(page: VectorPage): void {
    if (page.ids.length === 0) return;
    const dimensions = page.vectors.length / page.ids.length;
    slots ??= openSlots({ dimensions, ceiling, read: (seqs) => store.vectors.at(seqs) });
    if (places.size > slotOf.length) slotOf = enlarged(slotOf, Math.ceil(places.size * 1.25), -1);
    const { ids, seqs, vectors } = known(page, dimensions);
    const taken = slots.add(seqs, vectors);
    if (slots.size > owner.length) owner = enlarged(owner, Math.ceil(slots.size * 1.5), 0);
    for (let i = 0; i < ids.length; i++) {
      const place = places.placeOf(ids[i] as number);
      const slot = taken[i] as number;
      owner[slot] = place;
      const before = slotOf[place] as number;
      if (before >= 0) nextPart.set(slot, before);
      slotOf[place] = slot;
      places.flags[place] = (places.flags[place] as number) & ~flag.noVector;
    }
  }

  /** The page without vectors of entries that came after the places were read. The next update reads those. */
  function known(page: VectorPage, dimensions: number): VectorPage {
    if (page.ids.every((id) => places.placeOf(id) >= 0)) return page;
    const kept = page.ids.flatMap((id, i) => (places.placeOf(id) < 0 ? [] : [i]));
    const vectors = new Int8Array(kept.length * dimensions);
    for (const [to, i] of kept.entries())
      vectors.set(page.vectors.subarray(i * dimensions, (i + 1) * dimensions), to * dimensions);
    return { ids: kept.map((i) => page.ids[i] as number), seqs: kept.map((i) => page.seqs[i] as number), vectors };
  }

  /** Reads the vectors of places whose vectors have changed. */
  async function renew({ ids, vectors }: PlacePage): Promise<void> {
    const changed: number[] = [];
    for (const [i, id] of ids.entries()) {
      const place = id === 0 ? -1 : places.placeOf(id);
      if (place < 0) continue;
      const slot = slotOf[place] ?? -1;
      const seq = vectors[i] as number;
      if ((slot < 0 ? 0 : (slots?.seqOf(slot) ?? 0)) === seq) continue;
      dropVectors(place);
      if (seq !== 0) changed.push(id);
    }
    for (let from = 0; from < changed.length && model !== undefined; from += vectorsAtOnce) {
      take(await store.vectors.of(changed.slice(from, from + vectorsAtOnce), { kind: 'entry', model }));
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
        take(page);
        seq = page.seqs.at(-1) as number;
        await others();
      }
    },
    update,
    async scan(query) {
      const found = await slots?.scan(query);
      // A separate array each time: other searches may run while this one waits.
      const cosines = floats.take(places.size);
      if (found === undefined) return cosines;
      spread(found, slotOf, cosines);
      for (const [slot, part] of nextPart) {
        const place = owner[slot] as number;
        cosines[place] = Math.max(cosines[place] as number, found[part] as number);
      }
      floats.giveBack(found);
      return cosines;
    },
    isRough: (place) => slots?.isHalf(slotOf[place] ?? -1) ?? false,
    similarity(a, b) {
      const [x, y] = [slotOf[a] ?? -1, slotOf[b] ?? -1];
      return x < 0 || y < 0 || slots === undefined ? 0 : slots.similarity(x, y);
    },
  };
}

/** Assigns each place the cosine of its slot. */
function spread(found: Float32Array, slotOf: Int32Array, cosines: Float32Array): void {
  const size = Math.min(cosines.length, slotOf.length);
  for (let place = 0; place < size; place++) {
    const slot = slotOf[place] as number;
    if (slot >= 0) cosines[place] = found[slot] as number;
  }
}

/** A load takes a while, and the worker has hooks to answer. */
const others = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function enlarged(array: Int32Array<ArrayBuffer>, room: number, fill: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(room).fill(fill, array.length);
  larger.set(array);
  return larger;
}
