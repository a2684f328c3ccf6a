import { expect, it } from 'vitest';
import { cosineOf } from './embedder.ts';
import { sentencesIn } from './sentences.ts';
import { sideBySide, sideBySideEmbedder } from './side-by-side.ts';
import { staticEmbedder } from './static.ts';

/** Numbers that look like those of a model: some of any size, most of them small. */
function vector(length: number, seed: number, largest: number): Int8Array {
  let state = seed;
  return Int8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round(((state / 2 ** 31 - 1) ** 3 + 0.1) * largest);
  });
}

it('the cosine of two pairs is seven tenths of the table’s and three of MiniLM’s, however long the vectors are', () => {
  const mixed = (a: Int8Array, b: Int8Array) => a.map((value, i) => Math.round((value + (b[i] as number)) / 2));
  const [table, sentence] = [vector(256, 1, 40), vector(384, 2, 110)];
  for (const [otherTable, otherSentence] of [
    [table, sentence],
    [mixed(table, vector(256, 3, 90)), vector(384, 4, 20)],
    [vector(256, 5, 110), mixed(sentence, vector(384, 6, 60))],
    [table.map((value) => -value), sentence],
  ] as const) {
    const wanted = 0.7 * cosineOf(table, otherTable) + 0.3 * cosineOf(sentence, otherSentence);
    const [one, other] = [sideBySide(table, sentence), sideBySide(otherTable, otherSentence)] as Int8Array[];
    expect(Math.abs(cosineOf(one as Int8Array, other as Int8Array) - wanted)).toBeLessThan(0.01);
  }
});

it('what one model alone knows is compared by that one; what none knows has no vector', () => {
  const [table, sentence] = [vector(256, 1, 100), vector(384, 2, 100)];
  expect(sideBySide(undefined, undefined)).toBeUndefined();
  const [half, other, whole] = [
    sideBySide(table, undefined),
    sideBySide(undefined, sentence),
    sideBySide(table, sentence),
  ] as [Int8Array, Int8Array, Int8Array];
  expect([half.length, other.length, whole.length]).toEqual([640, 640, 640]);
  expect(cosineOf(half, other)).toBe(0);
  expect(cosineOf(half, whole)).toBeCloseTo(Math.sqrt(0.7), 2);
  expect(cosineOf(other, whole)).toBeCloseTo(Math.sqrt(0.3), 2);
});

it('in a query the words weigh what they are said to weigh for the table, and MiniLM reads the text', async () => {
  const read: string[] = [];
  const sentence = vector(384, 7, 90);
  const embedder = sideBySideEmbedder(async (texts) => {
    read.push(...texts);
    return texts.map(() => sentence);
  });
  const text = 'the retry queue';
  const heavy = await embedder.query(text, { words: ['the', 'retry', 'queue'], weights: [0, 5, 1] });
  expect(read).toEqual([text]);
  const words = await staticEmbedder().query(text, { words: ['the', 'retry', 'queue'], weights: [0, 5, 1] });
  expect(heavy).toEqual(sideBySide(words, sentence));
  expect(heavy).not.toEqual(await embedder.query(text));
  expect(await embedder.embed([text])).toEqual([[await embedder.query(text)]]);
});

it('a text has a vector for each of its sentences, by MiniLM, and last that of the whole; the table is of the whole in all of them', async () => {
  const texts = ['I want to learn pottery. By the way, my car was towed.', '', 'a single sentence', '\u{3000}'];
  const made = new Map<string, Int8Array>();
  const embedder = sideBySideEmbedder(async (asked) =>
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
      sideBySide(words, made.get(part)),
    ),
    [],
    [sideBySide(word, made.get('a single sentence'))],
    [],
  ]);
});

it('a sentence that MiniLM cannot read is left to the whole', async () => {
  const text = 'I want to learn pottery. · · · ·';
  const sentence = vector(384, 7, 90);
  const embedder = sideBySideEmbedder(async (asked) => asked.map((one) => (/\p{L}/u.test(one) ? sentence : undefined)));
  expect(sentencesIn(text)).toHaveLength(2);
  expect((await embedder.embed([text]))[0]).toHaveLength(2);
});

it('has a name of its own, so that vectors of either model alone are not taken for its own', () => {
  const { model } = sideBySideEmbedder(async () => []);
  expect(model).toBe(`${staticEmbedder().model} + all-MiniLM-L6-v2 int8 v1 by sentences v2`);
});
