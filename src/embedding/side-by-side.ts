// Two models in one vector: the built-in table, which knows which words of a question count, beside a sentence model, which knows what a sentence says.
import { quantize } from './embedder.ts';

/** Numbers of the table's part. */
const tableWidth = 256;

export interface Pairing {
  /** Numbers of the sentence model's part. */
  readonly width: number;
  /** Of a cosine, how much is the sentence model's. The rest is the table's. */
  readonly share: number;
}

/**
 * Each part is as long as the root of its share, so the cosine of two pairs is the weighted mean of the cosines of their parts. A part that is missing is
 * zero: a pair without it can still be compared with every other.
 */
export function sideBySide(
  { width, share }: Pairing,
  byTable: Int8Array | undefined,
  bySentence: ArrayLike<number> | undefined,
): Int8Array | undefined {
  const pair = new Float32Array(tableWidth + width);
  if (byTable) pair.set(ofLength(Math.sqrt(1 - share), byTable));
  if (bySentence) pair.set(ofLength(Math.sqrt(share), bySentence), tableWidth);
  return quantize(pair);
}

function ofLength(length: number, vector: ArrayLike<number>): Float32Array {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += (vector[i] as number) ** 2;
  const scale = square === 0 ? 0 : length / Math.sqrt(square);
  return Float32Array.from(vector, (value) => value * scale);
}
