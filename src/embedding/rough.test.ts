import { expect, it } from 'vitest';
import { packedRoughVectors, roughVectors } from './rough.ts';

it('packed vectors are those of each text, without a place for texts that have no known word', () => {
  const texts = [
    'the tide gauge',
    '',
    'useAuthStore fails in ./src/gate.ts:12',
    '\u0001',
    '潮 und Fähre',
    'the tide gauge',
  ];
  const { numbers, dimensions, places } = packedRoughVectors(texts);
  const vectors = places.map((place) =>
    place < 0 ? undefined : numbers.slice(place * dimensions, (place + 1) * dimensions),
  );
  expect(vectors).toEqual(roughVectors(texts));
  expect(places.filter((place) => place < 0).length).toBe(2);
  expect(numbers.length).toBe(4 * dimensions);
});
