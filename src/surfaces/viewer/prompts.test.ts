import { expect, it } from 'vitest';
import { firstFrom, neighbour, turned } from './prompts.ts';

const prompts = [0, 4, 9].map((place) => ({ id: `p${place}`, place }));

it('finds the prompt below and the prompt above, and none beyond the ends', () => {
  expect(neighbour(prompts, 0, 1)?.id).toBe('p4');
  expect(neighbour(prompts, 5, 1)?.id).toBe('p9');
  expect(neighbour(prompts, 9, 1)).toBeUndefined();
  expect(neighbour(prompts, 9, -1)?.id).toBe('p4');
  expect(neighbour(prompts, 0, -1)).toBeUndefined();
});

it('a search begins where the reader is, and wraps around', () => {
  expect(firstFrom(prompts, 5)).toBe(2);
  expect(firstFrom(prompts, 50)).toBe(0);
  expect([turned(2, 1, 3), turned(0, -1, 3), turned(0, 1, 0)]).toEqual([0, 2, 0]);
});
