import { expect, it } from 'vitest';
import { priceOf, readPrice } from './model-prices.ts';

it('models are recognised by name, whatever date or vendor stands around it', () => {
  expect(priceOf('claude-opus-4-7', [])?.output).toBe(25);
  expect(priceOf('claude-sonnet-4-5-20250929', [])?.input).toBe(3);
  expect(priceOf('anthropic/claude-haiku-4-5', [])?.cacheRead).toBeCloseTo(0.1);
  expect(priceOf('claude-opus-4-1-20250805', [])?.output).toBe(75);
});

it('an unknown model has no price', () => {
  for (const model of ['', 'gpt-99', 'claude-opus-9', '<synthetic>']) expect(priceOf(model, [])).toBeUndefined();
});

it('the prices of the setting come first; other lines are skipped', () => {
  const own = ['nonsense', 'gpt-99=1/2', 'claude-opus-4-7 = 7 / 8 / 1 / 9'];
  expect(priceOf('gpt-99', own)).toMatchObject({ input: 1, output: 2, cacheRead: 1 });
  expect(priceOf('claude-opus-4-7', own)).toMatchObject({ input: 7, cacheRead: 1, cacheWrite: 9 });
  for (const line of ['', '=', 'x=', 'x=1', 'x=a/b', 'x=-1/2', 'x=1/2/3/4/5']) expect(readPrice(line)).toBeUndefined();
});
