// The embedder `minilm`: the built-in table and MiniLM side by side in one vector. The table knows which words of a question count, MiniLM
// what a sentence says: so it reads a text's sentences one by one, too.
import { type Embedder, listed, quantize } from './embedder.ts';
import { miniLmModel } from './minilm.ts';
import type { EmbedTexts } from './minilm-model.ts';
import { sentencesIn } from './sentences.ts';
import { staticEmbedder } from './static.ts';

/** Numbers of a vector: the table's, then MiniLM's. */
const widths = [256, 384] as const;
/** Of a cosine, how much is MiniLM's. The rest is the table's, which alone knows how much each word of a question says. */
const shareOfMiniLm = 0.3;

export function sideBySideEmbedder(miniLm: EmbedTexts): Embedder {
  const table = staticEmbedder();
  return {
    model: `${table.model} + ${miniLmModel} by sentences v2`,
    instant: false,
    batch: 32,
    async embed(texts, signal) {
      const sentences = texts.map(sentencesIn);
      const [byTable, bySentence] = await Promise.all([
        table.embed(texts, signal),
        miniLm([...texts, ...sentences.flat()]),
      ]);
      const ofSentences = bySentence.slice(texts.length).values();
      return texts.map((_, i) => {
        const [words] = byTable[i] ?? [];
        const parts = (sentences[i] ?? []).map(() => ofSentences.next().value);
        // One that MiniLM cannot read says no more than the whole.
        return [...parts.filter((part) => part !== undefined), bySentence[i]].flatMap((part) =>
          listed(sideBySide(words, part)),
        );
      });
    },
    async query(text, words) {
      const [byTable, bySentence] = await Promise.all([table.query(text, words), miniLm([text])]);
      return sideBySide(byTable, bySentence[0]);
    },
    async close() {},
  };
}

/**
 * Each as long as the root of its share, so that the cosine of two pairs is made of the cosines of their parts by these shares. What only
 * one model knows has nothing in the other's place.
 */
export function sideBySide(byTable: Int8Array | undefined, bySentence: Int8Array | undefined): Int8Array | undefined {
  const pair = new Float32Array(widths[0] + widths[1]);
  if (byTable) pair.set(ofLength(Math.sqrt(1 - shareOfMiniLm), byTable));
  if (bySentence) pair.set(ofLength(Math.sqrt(shareOfMiniLm), bySentence), widths[0]);
  return quantize(pair);
}

function ofLength(length: number, vector: Int8Array): Float32Array {
  const scale = length / Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value * scale);
}
