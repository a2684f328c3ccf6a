// The vectors of places: which slots hold them, and their cosines with a query.
import type { VectorPage } from '../../store/vectors/port.ts';
import { flag, type Places } from './places.ts';
import { floats } from './scratch.ts';
import { openSlots, type Slots, type SlotsOptions } from './slots.ts';

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

export interface PlaceVectors extends VectorScan {
  /** Takes vectors of entries that have a place. */
  take(page: VectorPage): void;
  drop(place: number): void;
  /** The number of the newest vector at this place; 0 without a vector. */
  seqAt(place: number): number;
}

export function openPlaceVectors(places: () => Places, options: Omit<SlotsOptions, 'dimensions'>): PlaceVectors {
  /** The slot of each place; -1 without a vector. The slots of further parts follow in `nextPart`. */
  let slotOf = new Int32Array(1024).fill(-1);
  const nextPart = new Map<number, number>();
  let owner = new Int32Array(1024);
  let slots: Slots | undefined;

  return {
    drop(place: number): void {
      for (let slot = slotOf[place] ?? -1; slot >= 0; ) {
        slots?.remove(slot);
        const next = nextPart.get(slot) ?? -1;
        nextPart.delete(slot);
        slot = next;
      }
      if (place < slotOf.length) slotOf[place] = -1;
      const { flags } = places();
      flags[place] = (flags[place] as number) | flag.noVector;
    },
    take(page: VectorPage): void {
      if (page.ids.length === 0) return;
      const { size, flags, placeOf } = places();
      const dimensions = page.vectors.length / page.ids.length;
      slots ??= openSlots({ ...options, dimensions });
      if (size > slotOf.length) slotOf = enlarged(slotOf, Math.ceil(size * 1.25), -1);
      const { ids, seqs, vectors } = known(page, dimensions, placeOf);
      const taken = slots.add(seqs, vectors);
      if (slots.size > owner.length) owner = enlarged(owner, Math.ceil(slots.size * 1.5), 0);
      for (let i = 0; i < ids.length; i++) {
        const place = placeOf(ids[i] as number);
        const slot = taken[i] as number;
        owner[slot] = place;
        const before = slotOf[place] as number;
        if (before >= 0) nextPart.set(slot, before);
        slotOf[place] = slot;
        flags[place] = (flags[place] as number) & ~flag.noVector;
      }
    },
    seqAt(place) {
      const slot = slotOf[place] ?? -1;
      return slot < 0 ? 0 : (slots?.seqOf(slot) ?? 0);
    },
    async scan(query) {
      const found = await slots?.scan(query);
      // A separate array each time: other searches may run while this one waits.
      const cosines = floats.take(places().size);
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

/** The page without vectors of entries that came after the places were read. The next update reads those. */
function known(page: VectorPage, dimensions: number, placeOf: Places['placeOf']): VectorPage {
  if (page.ids.every((id) => placeOf(id) >= 0)) return page;
  const kept = page.ids.flatMap((id, i) => (placeOf(id) < 0 ? [] : [i]));
  const vectors = new Int8Array(kept.length * dimensions);
  for (const [to, i] of kept.entries())
    vectors.set(page.vectors.subarray(i * dimensions, (i + 1) * dimensions), to * dimensions);
  return { ids: kept.map((i) => page.ids[i] as number), seqs: kept.map((i) => page.seqs[i] as number), vectors };
}

/** Assigns each place the cosine of its slot. */
function spread(found: Float32Array, slotOf: Int32Array, cosines: Float32Array): void {
  const size = Math.min(cosines.length, slotOf.length);
  for (let place = 0; place < size; place++) {
    const slot = slotOf[place] as number;
    if (slot >= 0) cosines[place] = found[slot] as number;
  }
}

function enlarged(array: Int32Array<ArrayBuffer>, room: number, fill: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(room).fill(fill, array.length);
  larger.set(array);
  return larger;
}
