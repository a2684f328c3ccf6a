// ① The first vectors of a chunk's entries. The thread that reads the texts computes them, so that no other thread reads the texts again.
import { roughVectors } from '../embedding/rough.ts';
import { embeddedText, embeddedUses } from '../store/search/tool-text.ts';
import type { Chunk, NewEntry } from '../store/transcripts/port.ts';

/** `model` is the model of `roughVectors`. */
export function withVectors(chunk: Chunk, model: string): Chunk {
  if (chunk.entries.length === 0) return chunk;
  const vectors = roughVectors(chunk.entries.map(textOf));
  const found = vectors.filter((vector) => vector !== undefined);
  const dimensions = found[0]?.length ?? 0;
  const numbers = new Int8Array(found.length * dimensions);
  let next = 0;
  const entries = chunk.entries.map((entry, i): NewEntry => {
    const vector = vectors[i];
    if (vector === undefined) return { ...entry, vector: -1 };
    numbers.set(vector, next * dimensions);
    return { ...entry, vector: next++ };
  });
  return { ...chunk, entries, vectors: { model, rough: true, dimensions, numbers } };
}

const textOf = ({ text, toolUses }: NewEntry): string =>
  embeddedText(
    text,
    toolUses.slice(0, embeddedUses).map(({ tool, input, result }) => ({ tool, input, output: result?.output ?? null })),
  );
