import { expect, it } from 'vitest';
import { cosineOf } from './embedder.ts';
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

it('the cosine of two pairs is the mean of the cosines of their parts, however long those are', () => {
  const mixed = (a: Int8Array, b: Int8Array) => a.map((value, i) => Math.round((value + (b[i] as number)) / 2));
  const [table, sentence] = [vector(256, 1, 40), vector(384, 2, 110)];
  for (const [otherTable, otherSentence] of [
    [table, sentence],
    [mixed(table, vector(256, 3, 90)), vector(384, 4, 20)],
    [vector(256, 5, 110), mixed(sentence, vector(384, 6, 60))],
    [table.map((value) => -value), sentence],
  ] as const) {
    const mean = (cosineOf(table, otherTable) + cosineOf(sentence, otherSentence)) / 2;
    const [one, other] = [sideBySide(table, sentence), sideBySide(otherTable, otherSentence)] as Int8Array[];
    expect(Math.abs(cosineOf(one as Int8Array, other as Int8Array) - mean)).toBeLessThan(0.01);
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
  expect(cosineOf(half, whole)).toBeCloseTo(Math.SQRT1_2, 2);
  expect(cosineOf(other, whole)).toBeCloseTo(Math.SQRT1_2, 2);
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
  expect(await embedder.embed([text])).toEqual([await embedder.query(text)]);
});

it('has a name of its own, so that vectors of either model alone are not taken for its own', () => {
  const { model } = sideBySideEmbedder(async () => []);
  expect(model).toBe(`${staticEmbedder().model} + all-MiniLM-L6-v2 int8 v1`);
});
