// What to do with a file, from what is stored about it: nothing, read on, read anew, or keep it apart.
import fs from 'node:fs';
import type { FileState } from '../store/store.ts';
import { fingerprint, type Source } from './chunk.ts';

export type Plan =
  | { readonly do: 'skip'; readonly note: boolean }
  /** Goes on at the stored offset. */
  | { readonly do: 'read' }
  /** Reads from the start and sweeps what is gone. */
  | { readonly do: 'restart' }
  /** Another file that happens to have the same key under another root. */
  | { readonly do: 'separate' };

/** Contract: opens the file only when sizes alone do not decide. */
export function planFor(source: Source, state: FileState | undefined, reimport: boolean): Plan {
  if (state === undefined) return { do: 'read' };
  const seen = state.copies.get(source.root);
  const longerElsewhere = [...state.copies].some(([root, size]) => root !== source.root && size > source.size);
  if (reimport) {
    if (source.size < state.offset && longerElsewhere) return { do: 'skip', note: false };
    return seen === undefined && !continues(source, state) ? { do: 'separate' } : { do: 'restart' };
  }
  if (source.size === state.offset || source.size === seen) return { do: 'skip', note: source.size !== seen };
  if (source.size > state.offset) {
    if (continues(source, state)) return { do: 'read' };
    return seen === undefined ? { do: 'separate' } : { do: 'restart' };
  }
  if (seen === undefined) return continues(source, state) ? { do: 'skip', note: true } : { do: 'separate' };
  return source.size < seen && !longerElsewhere ? { do: 'restart' } : { do: 'skip', note: true };
}

/** Whether the file begins, and at the offset ends, with the bytes that were read before; as far as it is long enough to tell. */
function continues(source: Source, state: FileState): boolean {
  const fd = fs.openSync(source.path, 'r');
  try {
    return (
      sameBytes(fd, state.head, () => 0, source.size) && sameBytes(fd, state.tail, (n) => state.offset - n, source.size)
    );
  } finally {
    fs.closeSync(fd);
  }
}

function sameBytes(fd: number, print: string, startOf: (length: number) => number, size: number): boolean {
  const length = Number.parseInt(print, 10);
  if (!(length > 0) || startOf(length) + length > size) return true;
  const bytes = Buffer.alloc(length);
  const got = fs.readSync(fd, bytes, 0, length, startOf(length));
  return fingerprint(bytes.subarray(0, got)) === print;
}
