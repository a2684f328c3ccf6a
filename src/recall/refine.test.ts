import { expect, it } from 'vitest';
import { namesIn, refine } from './refine.ts';

const read = (texts: readonly string[]) => new Map(texts.map((text, place) => [place, { text }]));

const ranked = (scores: readonly number[]) =>
  scores.map((score, place) => ({
    place,
    score,
    words: 1,
    meaning: 0,
    near: 0,
    answers: false,
    session: 0,
    time: -1,
  }));

const order = (
  texts: readonly string[],
  scores: readonly number[],
  more: Partial<Parameters<typeof refine<{ text: string }>>[1]> = {},
) =>
  refine(ranked(scores), {
    read: read(texts),
    textOf: ({ text }) => text,
    names: [],
    limit: 10,
    ...more,
  }).map(({ place }) => place);

it('distinguishes names, paths, codes and versions from words', () => {
  expect(
    namesIn('Why does useAuthStore fail with ERR_MODULE_NOT_FOUND in src/auth/jwt.ts:42, since v4.17.3 (see #1234)?'),
  ).toEqual(['useAuthStore', 'ERR_MODULE_NOT_FOUND', 'src/auth/jwt.ts:42', 'v4.17.3', '#1234']);
  expect(namesIn('Where did we drop the retry queue? I said so. And why')).toEqual([]);
});

it('puts a complete name before its parts', () => {
  const texts = ['the auth store, and how to use it: useAuthStores', 'useAuthStore is gone'];
  expect(order(texts, [1, 0.9])).toEqual([0, 1]);
  expect(order(texts, [1, 0.9], { names: ['useAuthStore'] })).toEqual([1, 0]);
});

it('moves repetitions down, not out', () => {
  const texts = ['Run the tests.', 'Run the tests.', 'The tests run at night.'];
  expect(order(texts, [1, 0.99, 0.6])).toEqual([0, 2, 1]);
  const similarity = (a: number, b: number) => (a + b === 3 ? 0.99 : 0.2);
  expect(order(['a', 'b', 'c'], [1, 0.9, 0.8], { similarity })).toEqual([0, 1, 2]);
  expect(order(['a', 'b', 'c'], [0.8, 0.9, 0.85], { similarity })).toEqual([1, 0, 2]);
});

it('moves a tool use down less than a text, if it is only near to another in meaning', () => {
  const similarity = (a: number, b: number) => (a + b === 1 ? 1 : 0.2);
  const texts = ['Edit the sender', 'Edit the sender once more', 'Read the sender'];
  expect(order(texts, [1, 0.95, 0.6], { similarity })).toEqual([0, 2, 1]);
  expect(order(texts, [1, 0.95, 0.6], { similarity, isSum: true })).toEqual([0, 1, 2]);
  expect(order(texts, [1, 0.95, 0.9], { similarity, isSum: true })).toEqual([0, 2, 1]);
  const same = ['Run the tests.', 'Run the tests.', 'The tests run at night.'];
  expect(order(same, [1, 0.95, 0.6], { isSum: true })).toEqual([0, 2, 1]);
});

it('leaves sessions alone that share their best entry: each is more than that', () => {
  const texts = ['Run the tests.', 'Run the tests.', 'The tests run at night.'];
  expect(order(texts, [1, 0.99, 0.6], { isPart: true })).toEqual([0, 1, 2]);
  expect(order(texts, [1, 0.99, 0.6], { isPart: true, limit: 1 })).toEqual([0]);
});

it('leaves out deleted entries, and returns no more than asked', () => {
  expect(order(['a', 'b'], [1, 0.9, 0.8])).toEqual([0, 1]);
  expect(order(['a', 'b'], [1, 0.9], { limit: 1 })).toEqual([0]);
});

it('equals comparing everything with everything', () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let round = 0; round < 50; round++) {
    const scores = Array.from({ length: 60 }, random).sort((a, b) => b - a);
    const cosines = scores.map(() => scores.map(() => 0.8 + 0.2 * random()));
    const similarity = (a: number, b: number) => cosines[Math.min(a, b)]?.[Math.max(a, b)] as number;
    const left = scores.map((score, place) => ({ place, score }));
    const expected: number[] = [];
    while (expected.length < 20) {
      const now = left.map(({ place, score }) =>
        expected.reduce((least, other) => {
          const same = similarity(place, other);
          return same > 0.9 ? Math.min(least, score * (1 - (same - 0.9) / (1 - 0.9) / 2)) : least;
        }, score),
      );
      expected.push(...left.splice(now.indexOf(Math.max(...now)), 1).map(({ place }) => place));
    }
    const texts = scores.map((_, i) => `text ${i}`);
    expect(order(texts, scores, { similarity, limit: 20 })).toEqual(expected);
  }
});
