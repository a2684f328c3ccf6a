// The embedder `minilm`: the built-in table and MiniLM side by side in one vector. The table knows which words of a question count, MiniLM
// what a sentence says; together they find more than either.
import { type Embedder, quantize } from './embedder.ts';
import { miniLmModel } from './minilm.ts';
import type { EmbedTexts } from './minilm-model.ts';
import { staticEmbedder } from './static.ts';

/** Numbers of a vector: the table's, then MiniLM's. */
const widths = [256, 384] as const;

export function sideBySideEmbedder(miniLm: EmbedTexts): Embedder {
  const table = staticEmbedder();
  return {
    model: `${table.model} + ${miniLmModel}`,
    instant: false,
    batch: 32,
    async embed(texts, signal) {
      const [byTable, bySentence] = await Promise.all([table.embed(texts, signal), miniLm(texts)]);
      return texts.map((_, i) => sideBySide(byTable[i], bySentence[i]));
    },
    async query(text, words) {
      const [byTable, bySentence] = await Promise.all([table.query(text, words), miniLm([text])]);
      return sideBySide(byTable, bySentence[0]);
    },
    async close() {},
  };
}

/**
 * Both as long as each other, so that the cosine of two pairs is the mean of the cosines of their parts. What only one model knows has
 * nothing in the other's place.
 */
export function sideBySide(byTable: Int8Array | undefined, bySentence: Int8Array | undefined): Int8Array | undefined {
  const pair = new Float32Array(widths[0] + widths[1]);
  if (byTable) pair.set(unit(byTable));
  if (bySentence) pair.set(unit(bySentence), widths[0]);
  return quantize(pair);
}

function unit(vector: Int8Array): Float32Array {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
}
