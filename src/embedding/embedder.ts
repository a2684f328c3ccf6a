// Turns texts into vectors. A setting chooses the embedder; the table is in index.ts.

export interface Embedder {
  /** Name and version, stored with every vector: vectors of different models are not compared. */
  readonly model: string;
  /** `embed` takes microseconds for a text and costs nothing, so an import can wait for it. */
  readonly instant: boolean;
  /** How many texts to give it at once. */
  readonly batch: number;
  /**
   * The vectors of each text: none if the text has no content; several if parts of it are compared separately, with the vector of the whole
   * last. A text is as near as its nearest vector. Fails as a whole, with what to do.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<(readonly Int8Array[])[]>;
  /**
   * Better vectors for texts that `embed` has answered roughly, in milliseconds for each text: one for each passage, with that of the whole
   * last. Absent if `embed` does its best already. The two kinds can be compared with each other. `here` computes on the calling thread, for
   * a few texts that a search waits for.
   */
  refine?(
    texts: readonly CloseText[],
    where?: 'here' | 'apart',
    signal?: AbortSignal,
  ): Promise<(readonly Int8Array[])[]>;
  /**
   * The vector to search for. An embedder of single words uses the given words and weights; a sentence model reads the text. An embedder of
   * both may weigh them differently among sessions that used tools.
   */
  query(text: string, words?: WeightedWords, among?: Searched): Promise<Int8Array | undefined>;
  close(): Promise<void>;
}

/** A text to read closely, with the passages of it that are compared separately. */
export interface CloseText {
  readonly text: string;
  readonly passages: readonly string[];
}

/** What a query is compared with: conversations alone, or also sessions that used tools. */
export type Searched = 'conversations' | 'sessions with tools';

/** The words of a query, and how much each counts. */
export interface WeightedWords {
  readonly words: readonly string[];
  readonly weights: readonly number[];
}

/** The result of `embed` for a text with one vector or none. */
export const listed = (vector: Int8Array | undefined): Int8Array[] => (vector === undefined ? [] : [vector]);

/** `Math.round` for numbers from -127 to 127, in less time. */
export const rounded = (number: number): number => ((number + 128.5) | 0) - 128;

/** Scaled so that the largest number is 127: cosines need no more, and the full range is used. Undefined for a zero vector. */
export function quantize(vector: ArrayLike<number>): Int8Array | undefined {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) {
    const size = Math.abs(vector[i] as number);
    if (!Number.isFinite(size)) return undefined;
    if (size > largest) largest = size;
  }
  if (largest === 0) return undefined;
  const out = new Int8Array(vector.length);
  for (let i = 0; i < vector.length; i++) out[i] = Math.round(((vector[i] as number) / largest) * 127);
  return out;
}

export function cosineOf(a: Int8Array, b: Int8Array): number {
  let [dot, squareA, squareB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  return dot / Math.sqrt(Math.max(1, squareA * squareB));
}
