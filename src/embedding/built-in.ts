// The default embedder: the table of word vectors and the sentence encoder side by side in one vector. The table's part is there at once.
// The encoder's part follows in the background, when the text is read closely. Until then it is zero, and the text is compared by its words
// alone.
import { closeVectors, closeVectorsApart } from './closely.ts';
import { type Embedder, listed } from './embedder.ts';
import { encoderModel } from './encoder.ts';
import { encodeTexts } from './encoder-texts.ts';
import { pairing, roughVectors, roughVectorsApart } from './rough.ts';
import { type Pairing, sideBySide } from './side-by-side.ts';
import { staticEmbedder } from './static.ts';

/**
 * Among sessions that used tools, what a question says counts more than its words. The parts of a cosine relate as the roots of the query's
 * shares: three tenths come from the table, seven from the encoder. Stored vectors keep their shares.
 */
const pairingAmongTools: Pairing = { ...pairing, share: 0.845 };

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
    refine: async (texts, where = 'apart', signal) =>
      where === 'here' ? closeVectors(texts) : closeVectorsApart(texts, signal),
    async query(text, words, among) {
      const [bySentence] = encodeTexts([text]);
      const shares = among === 'sessions with tools' ? pairingAmongTools : pairing;
      return sideBySide(shares, await table.query(text, words), bySentence);
    },
    async close() {},
  };
}
