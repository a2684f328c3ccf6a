// The built-in embedder: a table of word vectors in the package. No network, no key, no model to run.
import type { Embedder } from './embedder.ts';
import { loadStaticTable, type StaticTable, staticTableModel } from './static-table.ts';

/** Read once for a process, with its first text. */
let loaded: StaticTable | undefined;

const embed = (text: string): Int8Array | undefined => {
  loaded ??= loadStaticTable();
  return loaded.embed(text);
};

export const staticEmbedder = (): Embedder => ({
  model: loaded?.model ?? staticTableModel(),
  instant: true,
  batch: 1000,
  async embed(texts) {
    return texts.map(embed);
  },
  async query(text) {
    return embed(text);
  },
  async close() {},
});
