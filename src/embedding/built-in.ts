// The default embedder: the table of word vectors and the sentence encoder side by side in one vector. The table's part is there at once.
// The encoder's part follows in the background, when the text is read closely. Until then it is zero, and the text is compared by its words
// alone.
import { type Embedder, listed } from './embedder.ts';
import { encoderModel } from './encoder.ts';
import { encodeApart } from './encoder-apart.ts';
import { encodeTexts } from './encoder-texts.ts';
import { pairing, roughVectors, roughVectorsApart } from './rough.ts';
import { sideBySide } from './side-by-side.ts';
import { staticEmbedder } from './static.ts';

/** From this many texts on, a separate thread is worth its start. */
const manyTexts = 500;

export function builtInEmbedder(): Embedder {
  const table = staticEmbedder();
  return {
    model: `${table.model} + ${encoderModel}`,
    instant: true,
    batch: 1000,
    async embed(texts) {
      const vectors = texts.length < manyTexts ? roughVectors(texts) : await roughVectorsApart(texts);
      return vectors.map(listed);
    },
    async refine(texts, where = 'apart') {
      const encode = where === 'here' ? encodeTexts : encodeApart;
      const [byTable, bySentence] = await Promise.all([table.embed(texts), encode(texts)]);
      return texts.map((_, i) => sideBySide(pairing, byTable[i]?.[0], bySentence[i]));
    },
    async query(text, words) {
      const [bySentence] = encodeTexts([text]);
      return sideBySide(pairing, await table.query(text, words), bySentence);
    },
    async close() {},
  };
}
