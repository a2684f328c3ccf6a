import { expect, it } from 'vitest';
import { openSum } from './sum.ts';

it.each([
  [32, 5],
  [256, 1000],
])('rows of %i numbers, %i of them: the sum equals that of plain JavaScript', (width, count) => {
  let state = width;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const rows = Int8Array.from({ length: width * count }, () => next(256) - 128).fill(-128, 0, width);
  const scales = Float32Array.from({ length: count }, () => next(1000) / 1024);
  const table = openSum(rows, scales, width, 64);
  for (const most of [0, 1, 2, 64]) {
    const ids = Array.from({ length: most }, () => next(count));
    table.ids.set(ids);
    const expected = Array.from({ length: width }, (_, d) =>
      ids.reduce((sum, id) => sum + (scales[id] as number) * (rows[id * width + d] as number), 0),
    );
    for (const [d, value] of table.sum(most).entries()) expect(value).toBeCloseTo(expected[d] as number, 2);
  }
});
