import { expect, it } from 'vitest';
import { type Sample, timeLeft, withSample } from './time-left.ts';

/** Samples of work that reports every `everyMs` milliseconds. */
function samplesOf(shares: readonly number[], everyMs: number): Sample[] {
  let samples: Sample[] = [];
  for (const [i, share] of shares.entries()) samples = withSample(samples, { at: i * everyMs, share });
  return samples;
}

it('estimates the remaining time from the speed so far', () => {
  // 10 % in each second, 40 % are done.
  const samples = samplesOf([0, 0.1, 0.2, 0.3, 0.4], 1000);
  expect(timeLeft(samples, 4000)).toBe(6);
});

it('counts down while the next report is on its way', () => {
  const samples = samplesOf([0, 0.1, 0.2, 0.3, 0.4], 1000);
  expect(timeLeft(samples, 6000)).toBe(4);
});

it('follows the last seconds, not a fast beginning', () => {
  // Files that were known already: 80 % in the first second. Then 0.1 % in each second.
  const shares = Array.from({ length: 100 }, (_, i) => (i === 0 ? 0 : 0.8 + i / 1000));
  const samples = samplesOf(shares, 1000);
  expect(timeLeft(samples, 99_000)).toBe(Math.round((1 - 0.899) / 0.001));
});

it.each([
  ['before the first report', samplesOf([], 1000), 0],
  ['after one report', samplesOf([0.3], 1000), 0],
  ['after less than two seconds', samplesOf([0.1, 0.2, 0.3], 500), 1000],
  ['if nothing moves', samplesOf([0.3, 0.3, 0.3, 0.3, 0.3], 1000), 4000],
  ['if nothing was reported for long', samplesOf([0, 0.1, 0.2, 0.3], 1000), 60_000],
  ['when all is done', samplesOf([0, 0.5, 0.8, 1], 1000), 3000],
  ['if it would be days', samplesOf([0, 1e-9, 2e-9, 3e-9], 1000), 3000],
])('says nothing %s', (_, samples, now) => {
  expect(timeLeft(samples, now)).toBeUndefined();
});

it('starts again if there is more to do than before, or if the clock was set back', () => {
  const samples = samplesOf([0, 0.2, 0.4, 0.6], 1000);
  expect(withSample(samples, { at: 4000, share: 0.1 })).toEqual([{ at: 4000, share: 0.1 }]);
  expect(withSample(samples, { at: 10, share: 0.7 })).toEqual([{ at: 10, share: 0.7 }]);
});

it('keeps few samples of work that reports a thousand times a second', () => {
  let samples: Sample[] = [];
  for (let at = 0; at < 60_000; at++) samples = withSample(samples, { at, share: at / 100_000 });
  expect(samples.length).toBeLessThan(200);
  expect(timeLeft(samples, 60_000)).toBe(40);
});
