// The built-in embedder: a table of word vectors in the package. No network, no key, no model to run.
import { type Embedder, listed, quantize } from './embedder.ts';
import { loadStaticTable, type StaticTable, staticTableModel } from './static-table.ts';

/** Read once per process, with its first text. */
let loaded: StaticTable | undefined;

export const sharedTable = (): StaticTable => {
  loaded ??= loadStaticTable();
  return loaded;
};

export const staticEmbedder = (): Embedder => ({
  model: loaded?.model ?? staticTableModel(),
  instant: true,
  batch: 1000,
  async embed(texts) {
    return texts.map((text) => listed(sharedTable().embed(text)));
  },
  async query(text, words) {
    const vector = words && sharedTable().embedWords(words.words, words.weights);
    return words === undefined ? sharedTable().embed(text) : vector && quantize(vector);
  },
  async close() {},
});
