import { expect, it } from 'vitest';
import { miniLmEmbedder, miniLmPairing } from './minilm-beside.ts';
import { sentencesIn } from './sentences.ts';
import { sideBySide } from './side-by-side.ts';
import { staticEmbedder } from './static.ts';

/** Numbers that look like a model's: a few of any size, most of them small. */
function vector(length: number, seed: number, largest: number): Int8Array {
  let state = seed;
  return Int8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round(((state / 2 ** 31 - 1) ** 3 + 0.1) * largest);
  });
}

it('in a query the words weigh as told for the table, and MiniLM reads the text', async () => {
  const read: string[] = [];
  const sentence = vector(384, 7, 90);
  const embedder = miniLmEmbedder(async (texts) => {
    read.push(...texts);
    return texts.map(() => sentence);
  });
  const text = 'the retry queue';
  const heavy = await embedder.query(text, { words: ['the', 'retry', 'queue'], weights: [0, 5, 1] });
  expect(read).toEqual([text]);
  const words = await staticEmbedder().query(text, { words: ['the', 'retry', 'queue'], weights: [0, 5, 1] });
  expect(heavy).toEqual(sideBySide(miniLmPairing, words, sentence));
  expect(heavy).not.toEqual(await embedder.query(text));
  expect(await embedder.embed([text])).toEqual([[await embedder.query(text)]]);
});

it('a text has a MiniLM vector for each sentence, and last one for the whole; the table covers the whole in all of them', async () => {
  const texts = ['I want to learn pottery. By the way, my car was towed.', '', 'a single sentence', '\u{3000}'];
  const made = new Map<string, Int8Array>();
  const embedder = miniLmEmbedder(async (asked) =>
    asked.map((text) => {
      if (text.trim() === '') return undefined;
      const one = made.get(text) ?? vector(384, made.size + 1, 90);
      made.set(text, one);
      return one;
    }),
  );
  const vectors = await embedder.embed(texts);
  const [words, , word] = (await staticEmbedder().embed(texts)).map(([one]) => one);
  expect(vectors).toEqual([
    ['I want to learn pottery.', 'By the way, my car was towed.', texts[0] as string].map((part) =>
      sideBySide(miniLmPairing, words, made.get(part)),
    ),
    [],
    [sideBySide(miniLmPairing, word, made.get('a single sentence'))],
    [],
  ]);
});

it('a sentence that MiniLM cannot read has no vector beside the whole', async () => {
  const text = 'I want to learn pottery. · · · ·';
  const sentence = vector(384, 7, 90);
  const embedder = miniLmEmbedder(async (asked) => asked.map((one) => (/\p{L}/u.test(one) ? sentence : undefined)));
  expect(sentencesIn(text)).toHaveLength(2);
  expect((await embedder.embed([text]))[0]).toHaveLength(2);
});

it('has a separate name, so that vectors of either model alone do not count as its own', () => {
  const { model } = miniLmEmbedder(async () => []);
  expect(model).toBe(`${staticEmbedder().model} + all-MiniLM-L6-v2 int8 v1 by sentences v2`);
});
