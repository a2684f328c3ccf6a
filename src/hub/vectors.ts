// Vectors in the form that the hub takes: half-precision floats with pgvector, otherwise the bytes as they are.

export const hubDimensions = 256;

/** Null if there is no vector, or one of another size. */
export function vectorText(vector: Int8Array | undefined, halves: boolean): string | null {
  if (vector === undefined || vector.length !== hubDimensions) return null;
  return halves
    ? `[${vector.join(',')}]`
    : Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('base64');
}
