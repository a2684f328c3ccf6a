// Two models in one vector: the built-in table, which knows which words of a question count, beside a sentence model, which knows what a
// sentence says.
import { quantize, rounded } from './embedder.ts';

/** Width of the table's part. */
const tableWidth = 256;

export interface Pairing {
  /** Width of the sentence model's part. */
  readonly width: number;
  /** The sentence model's share of a cosine. The rest is the table's. */
  readonly share: number;
}

/**
 * Each part is as long as the root of its share, so the cosine of two pairs is the weighted mean of the cosines of their parts. A missing
 * part is zero: a pair without it can still be compared with every other.
 */
export function sideBySide(
  { width, share }: Pairing,
  byTable: Int8Array | undefined,
  bySentence: ArrayLike<number> | undefined,
): Int8Array | undefined {
  const pair = new Float32Array(tableWidth + width);
  if (byTable) writeScaled(pair, 0, byTable, Math.sqrt(1 - share));
  if (bySentence) writeScaled(pair, tableWidth, bySentence, Math.sqrt(share));
  return quantize(pair);
}

export const widthOf = ({ width }: Pairing): number => tableWidth + width;

/** `sideBySide` without a sentence, number for number, in a third of the time: an import does this for every text. */
export function tableSide(pairing: Pairing, byTable: Int8Array): Int8Array | undefined {
  const out = new Int8Array(widthOf(pairing));
  return writeTableSide(pairing, byTable, out, 0) ? out : undefined;
}

/** Writes it into `out` from `at` on; false for a zero vector. Contract: `out` is zero there. */
export function writeTableSide({ share }: Pairing, byTable: Int8Array, out: Int8Array, at: number): boolean {
  let square = 0;
  let most = 0;
  for (let i = 0; i < byTable.length; i++) {
    const number = byTable[i] as number;
    square += number * number;
    const size = number < 0 ? -number : number;
    if (size > most) most = size;
  }
  if (square === 0) return false;
  const scale = Math.sqrt(1 - share) / Math.sqrt(square);
  const largest = Math.fround(most * scale);
  for (let i = 0; i < byTable.length; i++)
    out[at + i] = rounded((Math.fround((byTable[i] as number) * scale) / largest) * 127);
  return true;
}

/** Writes the vector, scaled to the given length, from `start` on. A loop without closures: an import does this for every text. */
function writeScaled(into: Float32Array, start: number, vector: ArrayLike<number>, length: number): void {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += (vector[i] as number) ** 2;
  const scale = square === 0 ? 0 : length / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) into[start + i] = (vector[i] as number) * scale;
}
