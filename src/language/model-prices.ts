// Model prices, to show a cost beside the tokens of a session. A model that is missing here has tokens and no cost.

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
}

/** When the table was last compared with Anthropic's price page. */
export const pricesOf = '2026-11-16';

/** As the vendor states them: reading a cache costs a tenth of the input, writing one a quarter more, and for an hour twice as much. */
const anthropic = (input: number, output: number): ModelPrice => ({
  ...{ input, output, cacheRead: input / 10, cacheWrite: input * 1.25, cacheWriteHour: input * 2 },
});

/** By the beginning of the model's name; a date may follow. */
const table: readonly (readonly [RegExp, ModelPrice])[] = [
  [/^claude-opus-5$/, anthropic(5, 25)],
  [/^claude-opus-4-[5678]$/, anthropic(5, 25)],
  [/^claude-opus-4(?:-[01])?$/, anthropic(15, 75)],
  [/^claude-sonnet-4(?:-[0-6])?$/, anthropic(3, 15)],
  [/^claude-3-7-sonnet$/, anthropic(3, 15)],
  [/^claude-haiku-4-5$/, anthropic(1, 5)],
  [/^claude-3-5-haiku$/, anthropic(0.8, 4)],
];

/**
 * `own` are lines of the setting: `model=input/output`, or `model=input/output/cacheRead/cacheWrite`, in dollars for a million tokens. They
 * come before the table.
 */
export function priceOf(model: string, own: readonly string[]): ModelPrice | undefined {
  const name = model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/(?:-\d{8}|-latest|\[1m\])+$/, '');
  for (const line of own) {
    const price = readPrice(line);
    if (price !== undefined && (price.model === name || price.model === model.toLowerCase())) return price;
  }
  return table.find(([begins]) => begins.test(name))?.[1];
}

/** Undefined if the line is not a price. */
export function readPrice(line: string): (ModelPrice & { readonly model: string }) | undefined {
  const [model = '', figures = ''] = line.split('=').map((part) => part.trim());
  const [input, output, cacheRead, cacheWrite, ...more] = figures.split('/').map(Number);
  if (model === '' || input === undefined || output === undefined || more.length > 0) return undefined;
  const all = { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
  if (Object.values(all).some((figure) => !Number.isFinite(figure) || figure < 0)) return undefined;
  return { model: model.toLowerCase(), ...all, cacheWriteHour: all.cacheWrite };
}
