import { expect, it } from 'vitest';
import { bytes, floats } from './scratch.ts';

it('a returned array is reused, cleared, also for a slightly shorter length; no other search holds it at that time', () => {
  const first = floats.take(1000);
  first.fill(7);
  const second = floats.take(1000);
  expect(second.buffer).not.toBe(first.buffer);
  floats.giveBack(first);
  const again = floats.take(900);
  expect(again.buffer).toBe(first.buffer);
  expect(again).toEqual(new Float32Array(900));
  again.fill(1);
  floats.giveBack(again);
  expect(floats.take(1000)).toEqual(new Float32Array(1000));
});

it('one that is too short, or far too long, stays where it is', () => {
  const small = bytes.take(100);
  const large = bytes.take(5000);
  bytes.giveBack(small);
  bytes.giveBack(large);
  const taken = bytes.take(400);
  expect(taken).toHaveLength(400);
  expect([small.buffer, large.buffer]).not.toContain(taken.buffer);
});
