// The embedder `minilm`: the built-in table and MiniLM side by side in one vector. MiniLM also reads each sentence of a text.
import { type Embedder, listed } from './embedder.ts';
import { miniLmModel } from './minilm.ts';
import type { EmbedTexts } from './minilm-model.ts';
import { sentencesIn } from './sentences.ts';
import { type Pairing, sideBySide } from './side-by-side.ts';
import { staticEmbedder } from './static.ts';

export const miniLmPairing: Pairing = { width: 384, share: 0.3 };

export function miniLmEmbedder(miniLm: EmbedTexts): Embedder {
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
        // A sentence that MiniLM cannot read adds nothing to the whole.
        return [...parts.filter((part) => part !== undefined), bySentence[i]].flatMap((part) =>
          listed(sideBySide(miniLmPairing, words, part)),
        );
      });
    },
    async query(text, words) {
      const [byTable, bySentence] = await Promise.all([table.query(text, words), miniLm([text])]);
      return sideBySide(miniLmPairing, byTable, bySentence[0]);
    },
    async close() {},
  };
}
