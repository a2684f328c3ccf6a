// The vectors of an index, one slot each, and the cosines of a query with all of them. Above the memory ceiling only their signs are held.
// The signs select a few thousand vectors, which are then read from the store.

import type { VectorPage } from '../../store/vectors/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Kernel, longestRow, openKernel } from './kernel.ts';
import { floats } from './scratch.ts';
import { openSigns, type Signs } from './signs.ts';

/** How many of the nearest by sign are compared exactly. */
const closest = 4000;

export interface Slots {
  readonly dimensions: number;
  /** Slots from 0 to this are, or were, used. */
  readonly size: number;
  /** False above the ceiling. */
  readonly exact: boolean;
  /** Adds vectors, one after the other, with their numbers. Returns their slots. */
  add(seqs: readonly number[], vectors: Int8Array): number[];
  remove(slot: number): void;
  /** The number of the vector in the store; 0 for a free slot. */
  seqOf(slot: number): number;
  /** Whether the second half of its vector is empty. */
  isHalf(slot: number): boolean;
  /** Cosines by slot, to be returned to the pool (`floats`). Values in free slots mean nothing. */
  scan(query: Int8Array): Promise<Float32Array>;
  /** The cosine of two slots; above the ceiling an estimate. */
  similarity(a: number, b: number): number;
}

export interface SlotsOptions {
  readonly dimensions: number;
  /** Bytes that vectors may take in memory. */
  readonly ceiling: number;
  /** Reads vectors by their numbers. */
  read(seqs: readonly number[]): Promise<VectorPage>;
}

/** The vectors and their numbers. Growing replaces the arrays; `signs` replace the vectors above the ceiling. */
interface Filled {
  readonly dimensions: number;
  kernel: Kernel;
  signs: Signs | undefined;
  size: number;
  seqs: Int32Array;
  /** 1 / length of each vector. */
  inverse: Float32Array;
}

export function openSlots({ dimensions, ceiling, read }: SlotsOptions): Slots {
  if (dimensions > longestRow) {
    throw new HoldfastError('BAD_INPUT', `Vectors of ${dimensions} numbers are too long; ${longestRow} is the most`, {
      hint: 'Choose another model: holdfast config set embedding.model <name>',
    });
  }
  const filled: Filled = {
    dimensions,
    kernel: openKernel(Math.ceil(dimensions / 16) * 16),
    signs: undefined,
    size: 0,
    seqs: new Int32Array(1024),
    inverse: new Float32Array(1024),
  };
  const free: number[] = [];
  /** Slots whose vector has an empty second half: only the first of a pair of models has read the text so far. */
  const halves = new Set<number>();

  return {
    dimensions,
    get size() {
      return filled.size;
    },
    get exact() {
      return filled.signs === undefined;
    },
    add(added, vectors) {
      const before = filled.size;
      const taken = added.map(() => free.pop() ?? filled.size++);
      if (filled.size > filled.seqs.length) grow(filled);
      if (filled.signs === undefined && filled.size * filled.kernel.width > ceiling) coarsen(filled, before);
      filled.kernel.reserve(filled.size);
      for (let from = 0; from < taken.length; ) {
        let to = from + 1;
        while (to < taken.length && taken[to] === (taken[to - 1] as number) + 1) to++;
        write(filled, taken[from] as number, vectors.subarray(from * dimensions, to * dimensions));
        from = to;
      }
      for (const [i, slot] of taken.entries()) {
        filled.seqs[slot] = added[i] as number;
        if (isEmpty(vectors, i * dimensions + (dimensions >> 1), (i + 1) * dimensions)) halves.add(slot);
      }
      return taken;
    },
    remove(slot) {
      halves.delete(slot);
      filled.seqs[slot] = 0;
      free.push(slot);
    },
    seqOf: (slot) => filled.seqs[slot] ?? 0,
    isHalf: (slot) => halves.has(slot),
    async scan(query) {
      if (query.length !== dimensions)
        throw new HoldfastError('CONFLICT', `A query of ${query.length} numbers for vectors of ${dimensions}`);
      const cosines = floats.take(filled.size);
      if (filled.signs !== undefined) await scanCoarsely(filled, filled.signs, query, cosines, read);
      else scanExactly(filled, query, cosines);
      // These are compared by the first half alone. The query's second half would only make them look farther away than they are.
      const more = halves.size === 0 ? 1 : norm(query) / norm(query.subarray(0, dimensions / 2));
      for (const slot of halves) cosines[slot] = Math.min(1, (cosines[slot] as number) * more);
      return cosines;
    },
    similarity(a, b) {
      const { kernel, signs, inverse } = filled;
      const [x, y] = [kernel.row(a), kernel.row(b)];
      if (signs === undefined) return dot(x, y) * (inverse[a] as number) * (inverse[b] as number);
      let differing = 0;
      for (let i = 0; i < x.length; i++) differing += bitsIn(((x[i] as number) ^ (y[i] as number)) & 0xff);
      return signs.cosine(differing);
    },
  };
}

function scanExactly({ kernel, size, inverse }: Filled, query: Int8Array, cosines: Float32Array): void {
  const scale = 1 / norm(query);
  kernel.dots(query, size, (results, first) =>
    scaled(results, inverse.subarray(first), scale, cosines.subarray(first)),
  );
}

function grow(filled: Filled): void {
  const { size, seqs, inverse } = filled;
  const room = Math.max(size, Math.ceil(seqs.length * 1.5));
  [filled.seqs, filled.inverse] = [enlarged(seqs, room), enlarged(inverse, room)];
}

/** Keeps only the signs of the existing vectors. */
function coarsen(filled: Filled, size: number): void {
  const { dimensions, kernel: exact } = filled;
  const signs = openSigns(dimensions);
  const kernel = openKernel(signs.bits / 8);
  kernel.reserve(size);
  [filled.signs, filled.kernel] = [signs, kernel];
  for (let slot = 0; slot < size; slot++) writeSigns(signs, exact.row(slot).subarray(0, dimensions), kernel.row(slot));
}

/** Writes vectors into consecutive slots. */
function write({ dimensions, kernel, signs, inverse }: Filled, first: number, vectors: Int8Array): void {
  const count = vectors.length / dimensions;
  if (signs === undefined) {
    kernel.write(first, vectors, dimensions);
    kernel.squares(first, count, (squares, from) => {
      for (let i = 0; i < squares.length; i++) inverse[from + i] = 1 / (Math.sqrt(squares[i] as number) || 1);
    });
  } else
    for (let i = 0; i < count; i++)
      writeSigns(signs, vectors.subarray(i * dimensions, (i + 1) * dimensions), kernel.row(first + i));
}

function scanSigns(
  { kernel, size, seqs }: Filled,
  by: Signs,
  query: Int8Array,
  cosines: Float32Array,
): { distances: Int32Array; limit: number } {
  const target = new Int8Array(kernel.width);
  writeSigns(by, query, target);
  const distances = new Int32Array(size);
  kernel.distances(target, size, (results, first) => distances.set(results, first));
  const histogram = new Uint32Array(by.bits + 1);
  for (let slot = 0; slot < size; slot++) {
    const differing = distances[slot] as number;
    cosines[slot] = by.cosine(differing);
    if (seqs[slot] !== 0) histogram[differing] = (histogram[differing] as number) + 1;
  }
  let limit = 0;
  for (let sum = histogram[0] as number; limit < by.bits && sum < closest; ) sum += histogram[++limit] as number;
  return { distances, limit };
}

/** Estimates all cosines by sign, and reads the vectors of the nearest. */
async function scanCoarsely(
  filled: Filled,
  by: Signs,
  query: Int8Array,
  cosines: Float32Array,
  read: SlotsOptions['read'],
): Promise<void> {
  const { distances, limit } = scanSigns(filled, by, query, cosines);
  const { dimensions, size, seqs } = filled;
  const near: number[] = [];
  // Thousands may tie at the limit itself, and need not all be read.
  for (let slot = 0; slot < size && near.length < 2 * closest; slot++)
    if (seqs[slot] !== 0 && (distances[slot] as number) <= limit) near.push(slot);
  const slotOf = new Map(near.map((slot) => [seqs[slot] as number, slot]));
  const page = await read(near.map((slot) => seqs[slot] as number));
  const length = norm(query);
  for (const [i, seq] of page.seqs.entries()) {
    const slot = slotOf.get(seq);
    const vector = page.vectors.subarray(i * dimensions, (i + 1) * dimensions);
    if (slot !== undefined) cosines[slot] = dot(vector, query) / (norm(vector) * length);
  }
}

function writeSigns(by: Signs, vector: ArrayLike<number>, target: Int8Array): void {
  const turned = by.turn(vector);
  for (let byte = 0; byte < target.length; byte++) {
    let bits = 0;
    for (let i = 0; i < 8; i++) if ((turned[8 * byte + i] as number) < 0) bits |= 1 << i;
    target[byte] = bits;
  }
}

function scaled(dots: Int32Array, inverse: Float32Array, scale: number, cosines: Float32Array): void {
  for (let i = 0; i < dots.length; i++) cosines[i] = (dots[i] as number) * (inverse[i] as number) * scale;
}

function dot(a: Int8Array, b: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function isEmpty(numbers: Int8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (numbers[i] !== 0) return false;
  return true;
}

/** For a zero vector: anything but 0. */
const norm = (vector: Int8Array): number => Math.sqrt(dot(vector, vector)) || 1;

function bitsIn(byte: number): number {
  let left = byte;
  let count = 0;
  for (; left !== 0; left &= left - 1) count++;
  return count;
}

function enlarged<T extends Int32Array | Float32Array>(array: T, room: number): T {
  const larger = new (array.constructor as new (room: number) => T)(room);
  larger.set(array);
  return larger;
}
