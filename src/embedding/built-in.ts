// The default embedder: the table of word vectors and the sentence encoder side by side in one vector. The table's part is there at once.
// The encoder's part follows in the background, when the text is read closely. Until then it is zero, and the text is compared by its words
// alone.
import { type Embedder, listed } from './embedder.ts';
import { encoderModel } from './encoder.ts';
import { encodeApart } from './encoder-apart.ts';
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
    async refine(texts, where = 'apart') {
      const encode = where === 'here' ? encodeTexts : encodeApart;
      const [byTable, bySentence] = await Promise.all([
        table.embed(texts.map(({ text }) => text)),
        encode(texts.flatMap(({ text, passages }) => [...passages, text])),
      ]);
      const next = bySentence.values();
      return texts.map(({ passages }, i) => {
        const parts = [...passages, undefined].map(() => next.next().value);
        const whole = parts.pop();
        // The table's part is always of the whole text. A passage that the encoder cannot read adds nothing to it.
        return [...parts.filter((part) => part !== undefined), whole].flatMap((part) =>
          listed(sideBySide(pairing, byTable[i]?.[0], part)),
        );
      });
    },
    async query(text, words, among) {
      const [bySentence] = encodeTexts([text]);
      const shares = among === 'sessions with tools' ? pairingAmongTools : pairing;
      return sideBySide(shares, await table.query(text, words), bySentence);
    },
    async close() {},
  };
}
