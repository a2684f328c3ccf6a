// The built-in embedder: a table of word vectors in the package. No network, no key, no model to run.
import { type Embedder, listed, quantize } from './embedder.ts';
import { loadStaticTable, type StaticTable, staticTableModel } from './static-table.ts';

/** Read with the first text, and freed after a time without one: it takes 20 MB. */
let loaded: StaticTable | undefined;
/** When it may be freed. */
let neededUntil = 0;

/** After new texts. */
const briefly = 30_000;
/** After a search, as long as the vectors that it has loaded: the next search should not read the table again. */
const asVectors = 15 * 60_000;

export const sharedTable = (keepMs: number = briefly): StaticTable => {
  neededUntil = Math.max(neededUntil, performance.now() + keepMs);
  if (loaded === undefined) {
    loaded = loadStaticTable();
    setTimeout(letGo, keepMs).unref();
  }
  return loaded;
};

function letGo(): void {
  const left = neededUntil - performance.now();
  if (left > 0) setTimeout(letGo, left).unref();
  else loaded = undefined;
}

export const staticEmbedder = (): Embedder => ({
  model: loaded?.model ?? staticTableModel(),
  instant: true,
  batch: 1000,
  async embed(texts) {
    return texts.map((text) => listed(sharedTable().embed(text)));
  },
  async query(text, words) {
    const table = sharedTable(asVectors);
    if (words === undefined) return table.embed(text);
    const vector = table.embedWords(words.words, words.weights);
    return vector && quantize(vector);
  },
  async close() {},
});
