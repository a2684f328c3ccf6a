// ① The first vectors of a chunk's entries. The thread that reads the texts computes them, so that no other thread reads the texts again.
import { packedRoughVectors } from '../embedding/rough.ts';
import { embeddedText, embeddedUses } from '../store/search/tool-text.ts';
import type { Chunk, NewEntry } from '../store/transcripts/port.ts';

/** `model` is the model of `packedRoughVectors`. */
export function withVectors(chunk: Chunk, model: string): Chunk {
  if (chunk.entries.length === 0) return chunk;
  const { numbers, dimensions, places } = packedRoughVectors(chunk.entries.map(textOf));
  const entries = chunk.entries.map((entry, i): NewEntry => ({ ...entry, vector: places[i] }));
  return { ...chunk, entries, vectors: { model, rough: true, dimensions, numbers } };
}

const textOf = ({ text, toolUses }: NewEntry): string =>
  embeddedText(
    text,
    toolUses.slice(0, embeddedUses).map(({ tool, input, result }) => ({ tool, input, output: result?.output ?? null })),
  );
