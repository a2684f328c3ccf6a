// A vector's signs, a bit for each number: an eighth of the memory. The number of differing bits shows the angle between two vectors.

export interface Signs {
  /** Bits of a row: a power of two, 128 or more. */
  readonly bits: number;
  /** The vector rotated so that all numbers weigh the same. The same array every time. */
  turn(vector: ArrayLike<number>): Float32Array;
  /** The cosine that this many differing bits stand for. */
  cosine(differing: number): number;
}

/**
 * In a model's vector some numbers are large and most are small, and a sign does not show that. A rotation that mixes them all (signs
 * flipped at random, then a Hadamard transform) makes the signs say far more: of the ten nearest among 29,000 real texts, 99.6 % are among
 * the first 1,000 by sign, against 96.8 % without it.
 */
export function openSigns(dimensions: number): Signs {
  const bits = Math.max(128, 2 ** Math.ceil(Math.log2(dimensions)));
  const flips = new Float32Array(bits);
  // Any fixed sequence will do; both sides must use the same.
  for (let i = 0, state = 1; i < bits; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    flips[i] = state & 0x1_0000 ? 1 : -1;
  }
  const turned = new Float32Array(bits);
  const cosines = Float32Array.from({ length: bits + 1 }, (_, differing) => Math.cos((Math.PI * differing) / bits));
  return {
    bits,
    turn(vector) {
      turned.fill(0);
      for (let i = 0; i < vector.length; i++) turned[i] = (vector[i] as number) * (flips[i] as number);
      for (let half = 1; half < bits; half *= 2)
        for (let from = 0; from < bits; from += 2 * half)
          for (let i = from; i < from + half; i++) {
            const [a, b] = [turned[i] as number, turned[i + half] as number];
            turned[i] = a + b;
            turned[i + half] = a - b;
          }
      return turned;
    },
    cosine: (differing) => cosines[differing] as number,
  };
}
