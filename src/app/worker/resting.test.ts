import { expect, it } from 'vitest';
import { resting } from './resting.ts';

it('releases memory once after work, when a poll finds the worker at rest', async () => {
  let [used, released] = [0, 0];
  const poll = resting({
    processorMs: () => used,
    release: async () => {
      used += 50;
      released++;
    },
  });
  const polled = async (work: number) => {
    used += work;
    await poll();
    return released;
  };
  // The start is work, and so is the first second after it.
  expect(await polled(900)).toBe(0);
  expect(await polled(1000)).toBe(0);
  expect(await polled(10)).toBe(1);
  // Neither releasing nor a poll counts as work.
  for (let i = 0; i < 25; i++) expect(await polled(10)).toBe(1);
  expect(await polled(5000)).toBe(1);
  expect(await polled(0)).toBe(2);
});
