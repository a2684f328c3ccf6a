// Texts → vectors by their words alone: the table's part of the default vector. The encoder's part is zero until a text is read closely.
import { apart } from './apart.ts';
import { type Pairing, tableSide } from './side-by-side.ts';
import { sharedTable } from './static.ts';

export const pairing: Pairing = { width: 256, share: 0.5 };

/** Undefined for a text without a known word. */
export function roughVectors(texts: readonly string[]): (Int8Array | undefined)[] {
  const table = sharedTable();
  return texts.map((text) => {
    const words = table.embedReused(text);
    return words && tableSide(pairing, words);
  });
}

/** The same in a separate thread, for imports: the importing thread writes to the database at the same time. */
export const roughVectorsApart = apart({
  name: 'the table of word vectors',
  file: 'rough-thread.js',
  idleMs: 2000,
  here: roughVectors,
});
