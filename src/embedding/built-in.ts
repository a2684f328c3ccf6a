// The default embedder: the table of word vectors and the sentence encoder side by side in one vector. The table's part is there at once; the encoder's part
// follows when a text is read closely, in the background. Until then it is zero, and the text is compared by its words alone.
import { type Embedder, listed } from './embedder.ts';
import { encoderModel } from './encoder.ts';
import { encodeApart } from './encoder-apart.ts';
import { encodeTexts } from './encoder-texts.ts';
import { type Pairing, sideBySide } from './side-by-side.ts';
import { staticEmbedder } from './static.ts';

const pairing: Pairing = { width: 256, share: 0.5 };

export function builtInEmbedder(): Embedder {
  const table = staticEmbedder();
  return {
    model: `${table.model} + ${encoderModel}`,
    instant: true,
    batch: 1000,
    async embed(texts) {
      const byTable = await table.embed(texts);
      return byTable.map(([words]) => listed(words && sideBySide(pairing, words, undefined)));
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
