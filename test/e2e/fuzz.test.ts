// Hostile texts through every step that reads foreign text: each step takes bounded time and does not throw. More seeds: npm run test:long.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fuzzer, openFuzzer } from '../fuzz/fuzz.ts';
import { steps } from '../fuzz/steps.ts';
import { known } from '../fuzz/texts.ts';

/** Seeds that once took too long, and some that found bugs in other steps. */
const kept = [...known.keys(), 101, 202, 303, 404];

let fuzzer: Fuzzer;
beforeAll(async () => {
  fuzzer = await openFuzzer();
});
afterAll(() => fuzzer.close());

it.each(Object.keys(steps))('%s handles every kept text in bounded time', async (step) => {
  expect(await fuzzer.run(step, kept)).toEqual([]);
});
