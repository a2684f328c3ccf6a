// Hostile texts through every step that reads texts of others: each takes bounded time and throws nothing. More seeds: npm run test:long.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fuzzer, openFuzzer } from '../fuzz/fuzz.ts';
import { steps } from '../fuzz/steps.ts';
import { known } from '../fuzz/texts.ts';

/** Those that once took too long, and some that found something in other steps. */
const kept = [...known.keys(), 101, 202, 303, 404];

let fuzzer: Fuzzer;
beforeAll(async () => {
  fuzzer = await openFuzzer();
});
afterAll(() => fuzzer.close());

it.each(Object.keys(steps))('%s takes every kept text in bounded time', async (step) => {
  expect(await fuzzer.run(step, kept)).toEqual([]);
});
