import { expect, it } from 'vitest';
import { knowsNeighbour } from './prompt-window.ts';

const prompts = [10, 20, 30].map((place) => ({ id: `p${place}`, place, at: '2026-01-01T00:00:00.000Z', text: '' }));

it('knows the neighbours of places inside, and beyond an end only if nothing follows there', () => {
  const middle = { prompts, earlier: true, later: true };
  expect([9, 10, 29, 30].map((place) => knowsNeighbour(middle, place, 1))).toEqual([false, true, true, false]);
  expect([10, 11, 30, 31].map((place) => knowsNeighbour(middle, place, -1))).toEqual([false, true, true, false]);
  const whole = { prompts, earlier: false, later: false };
  for (const place of [0, 10, 30, 99])
    for (const step of [1, -1] as const) expect(knowsNeighbour(whole, place, step)).toBe(true);
  expect(knowsNeighbour({ prompts: [], earlier: false, later: false }, 5, 1)).toBe(true);
});
