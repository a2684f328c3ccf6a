import { expect, it } from 'vitest';
import { openSlots } from './slots.ts';

const read = async () => ({ seqs: [], ids: [], vectors: new Int8Array() });
const vector = (...numbers: number[]) => Int8Array.from({ length: 32 }, (_, i) => numbers[i] ?? 0);

it('compares a vector whose second half is empty by its first half alone, until a whole one replaces it', async () => {
  const slots = openSlots({ dimensions: 32, ceiling: 1e6, read });
  const [words, meaning] = [vector(100, 20), vector()];
  meaning[20] = 90;
  const whole = words.map((value, i) => value + (meaning[i] as number));
  const [rough] = slots.add([1], words);
  const [complete] = slots.add([2], whole);
  const cosines = await slots.scan(whole);
  expect(cosines[rough as number]).toBeCloseTo(1, 4);
  expect(cosines[complete as number]).toBeCloseTo(1, 4);
  slots.remove(rough as number);
  const [other] = slots.add([3], meaning);
  expect(other).toBe(rough);
  expect((await slots.scan(whole))[other as number]).toBeCloseTo(90 / Math.hypot(100, 20, 90), 4);
});
