import { expect, it } from 'vitest';
import { longestRow, openKernel } from './kernel.ts';

/** Numbers that look random and are the same every time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const extremes = [-128, 127, 0, -1, 1];

function randomRow(width: number, next: () => number): Int8Array {
  const kind = Math.floor(next() * 4);
  if (kind === 0) return new Int8Array(width).fill(extremes[Math.floor(next() * extremes.length)] as number);
  return Int8Array.from({ length: width }, () => Math.floor(next() * 256) - 128);
}

const dot = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
const bits = (byte: number) => (byte & 0xff).toString(2).replaceAll('0', '').length;
const differing = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, i) => sum + bits(value ^ (b[i] as number)), 0);

it.each([
  [16, 1],
  [16, 30_000],
  [32, 12_289],
  [256, 3000],
  [384, 700],
  [longestRow, 20],
])('rows of %i bytes, %i of them: the kernel computes what plain JavaScript computes', (width, rows) => {
  const next = dice(width * rows);
  const kernel = openKernel(width);
  const matrix: Int8Array[] = [];
  for (let row = 0; row < rows; row++) {
    matrix.push(randomRow(width, next));
    kernel.reserve(row + 1);
    kernel.row(row).set(matrix[row] as Int8Array);
  }
  const squares = new Int32Array(rows);
  kernel.squares(0, rows, (results, first) => squares.set(results, first));
  expect(squares).toEqual(Int32Array.from(matrix, (row) => dot(row, row)));
  for (const query of [randomRow(width, next), new Int8Array(width).fill(-128), new Int8Array(width).fill(127)]) {
    const [dots, distances] = [new Int32Array(rows), new Int32Array(rows)];
    kernel.dots(query, rows, (results, first) => dots.set(results, first));
    kernel.distances(query, rows, (results, first) => distances.set(results, first));
    expect(dots).toEqual(Int32Array.from(matrix, (row) => dot(row, query)));
    expect(distances).toEqual(Int32Array.from(matrix, (row) => differing(row, query)));
  }
});

it('copies vectors into rows that may be longer', () => {
  const kernel = openKernel(32);
  kernel.reserve(5);
  const three = Int8Array.from({ length: 60 }, (_, i) => i - 30);
  kernel.write(1, three, 20);
  for (const row of [0, 1, 2])
    expect([...kernel.row(row + 1)]).toEqual([...three.subarray(20 * row, 20 * (row + 1)), ...new Array(12).fill(0)]);
  kernel.write(
    3,
    Int8Array.from({ length: 64 }, (_, i) => i),
    32,
  );
  expect([...kernel.row(4)]).toEqual(Array.from({ length: 32 }, (_, i) => i + 32));
  const squares: number[] = [];
  kernel.squares(1, 2, (results, first) => squares.push(first, ...results));
  expect(squares).toEqual([
    1,
    dot(three.subarray(0, 20), three.subarray(0, 20)),
    dot(three.subarray(20, 40), three.subarray(20, 40)),
  ]);
});

it('requires whole rows of 16 bytes, and not too long ones', () => {
  for (const width of [0, -16, 8, 100, longestRow + 16]) expect(() => openKernel(width)).toThrow(RangeError);
});
