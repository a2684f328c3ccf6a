// The fuzzers with many seeds: some hundred texts for each step.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fuzzer, openFuzzer } from '../fuzz/fuzz.ts';
import { steps } from '../fuzz/steps.ts';
import { known } from '../fuzz/texts.ts';

const seeds = [...known.keys(), ...Array.from({ length: 200 }, (_, i) => 1000 + i)];

let fuzzer: Fuzzer;
beforeAll(async () => {
  fuzzer = await openFuzzer();
});
afterAll(() => fuzzer.close());

it.each(Object.keys(steps))('%s handles many hostile texts in bounded time', async (step) => {
  expect(await fuzzer.run(step, seeds)).toEqual([]);
});
