import { expect, it } from 'vitest';
import { cosineOf } from './embedder.ts';
import { type Pairing, sideBySide, tableSide } from './side-by-side.ts';

const pairing: Pairing = { width: 384, share: 0.3 };

/** Numbers that look like a model's: a few of any size, most of them small. */
function vector(length: number, seed: number, largest: number): Int8Array {
  let state = seed;
  return Int8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round(((state / 2 ** 31 - 1) ** 3 + 0.1) * largest);
  });
}

it('the cosine of two pairs is 0.7 × the table’s + 0.3 × MiniLM’s, however long the vectors are', () => {
  const mixed = (a: Int8Array, b: Int8Array) => a.map((value, i) => Math.round((value + (b[i] as number)) / 2));
  const [table, sentence] = [vector(256, 1, 40), vector(384, 2, 110)];
  for (const [otherTable, otherSentence] of [
    [table, sentence],
    [mixed(table, vector(256, 3, 90)), vector(384, 4, 20)],
    [vector(256, 5, 110), mixed(sentence, vector(384, 6, 60))],
    [table.map((value) => -value), sentence],
  ] as const) {
    const wanted = 0.7 * cosineOf(table, otherTable) + 0.3 * cosineOf(sentence, otherSentence);
    const [one, other] = [
      sideBySide(pairing, table, sentence),
      sideBySide(pairing, otherTable, otherSentence),
    ] as Int8Array[];
    expect(Math.abs(cosineOf(one as Int8Array, other as Int8Array) - wanted)).toBeLessThan(0.01);
  }
});

it('what only one model knows is compared by that model; what neither knows has no vector', () => {
  const [table, sentence] = [vector(256, 1, 100), vector(384, 2, 100)];
  expect(sideBySide(pairing, undefined, undefined)).toBeUndefined();
  const [half, other, whole] = [
    sideBySide(pairing, table, undefined),
    sideBySide(pairing, undefined, sentence),
    sideBySide(pairing, table, sentence),
  ] as [Int8Array, Int8Array, Int8Array];
  expect([half.length, other.length, whole.length]).toEqual([640, 640, 640]);
  expect(cosineOf(half, other)).toBe(0);
  expect(cosineOf(half, whole)).toBeCloseTo(Math.sqrt(0.7), 2);
  expect(cosineOf(other, whole)).toBeCloseTo(Math.sqrt(0.3), 2);
});

it('the quick way for a vector of the table alone gives the same numbers', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const table = vector(256, seed, seed % 127);
    expect(tableSide(pairing, table)).toEqual(sideBySide(pairing, table, undefined));
  }
  expect(tableSide(pairing, new Int8Array(256))).toBeUndefined();
});
