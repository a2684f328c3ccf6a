// What tokens cost, by the prices of their models.
import type { ModelUsage } from '../schema/model-usage.ts';
import { type ModelPrice, priceOf } from './model-prices.ts';

const costOf = (usage: ModelUsage, price: ModelPrice): number =>
  (usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * price.cacheRead +
    usage.cacheWrite * price.cacheWrite +
    usage.cacheWriteHour * price.cacheWriteHour) /
  1e6;

/** In US dollars. Undefined if the price of the model is unknown. `prices` are lines of the setting. */
export function modelCost(usage: ModelUsage, prices: readonly string[]): number | undefined {
  const price = priceOf(usage.model, prices);
  return price && costOf(usage, price);
}

/** The cost of all models together. Undefined without models, or if one price is unknown. */
export function totalCost(models: readonly ModelUsage[], prices: readonly string[]): number | undefined {
  const costs = models.map((usage) => modelCost(usage, prices));
  if (costs.length === 0 || costs.includes(undefined)) return undefined;
  return costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

export const tokensIn = (models: readonly ModelUsage[]): number =>
  models.reduce((sum, one) => sum + one.input + one.output + one.cacheRead + one.cacheWrite + one.cacheWriteHour, 0);
