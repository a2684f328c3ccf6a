// Texts → vectors by their words alone: the table's part of the default vector. The encoder's part is zero until a text is read closely.
import { apart } from './apart.ts';
import { type Pairing, tableSide, widthOf, writeTableSide } from './side-by-side.ts';
import { sharedTable } from './static.ts';
import { startTextThread } from './thread.ts';

export const pairing: Pairing = { width: 256, share: 0.5 };

/** Undefined for a text without a known word. */
export function roughVectors(texts: readonly string[]): (Int8Array | undefined)[] {
  const table = sharedTable();
  return texts.map((text) => {
    const words = table.embedReused(text);
    return words && tableSide(pairing, words);
  });
}

/**
 * The same vectors one after the other in one array. `places` says which of them is a text's; -1 for a text without a known word. Thousands
 * of separate arrays would cost more than what is in them.
 */
export function packedRoughVectors(texts: readonly string[]): {
  readonly numbers: Int8Array;
  readonly dimensions: number;
  readonly places: readonly number[];
} {
  const table = sharedTable();
  const dimensions = widthOf(pairing);
  const numbers = new Int8Array(texts.length * dimensions);
  let count = 0;
  const places = texts.map((text) => {
    const words = table.embedReused(text);
    const hasVector = words !== undefined && writeTableSide(pairing, words, numbers, count * dimensions);
    return hasVector ? count++ : -1;
  });
  return { numbers: numbers.subarray(0, count * dimensions), dimensions, places };
}

/** Loads the table before the first text. */
export function loadAhead(): void {
  try {
    sharedTable();
  } catch {
    // The first text reports it.
  }
}

/** The same in a separate thread, for imports: the importing thread writes to the database at the same time. */
export const roughVectorsApart = apart({
  start: (ended) => startTextThread<Int8Array | undefined>('the table of word vectors', 'rough-thread.js', { ended }),
  idleMs: 2000,
  here: roughVectors,
});
