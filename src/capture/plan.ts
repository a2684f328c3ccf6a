// What to do with a file, from what is stored about it: nothing, read on, read anew, or keep it apart.
import fs from 'node:fs';
import type { FileState } from '../store/transcripts/port.ts';
import type { Source } from './chunk.ts';
import { fingerprint } from './fingerprint.ts';
import { openTranscript } from './plain-file.ts';

export type Plan =
  | { readonly do: 'skip'; readonly note: boolean }
  /** Goes on at the stored offset. */
  | { readonly do: 'read' }
  /** Reads from the start and sweeps what is gone. */
  | { readonly do: 'restart' }
  /** Another file that happens to have the same key under another root. */
  | { readonly do: 'separate' };

/** The same file, of which a newer reader may find more: read again, or left alone where it is not the same. */
export function renewalFor(source: Source, state: FileState | undefined): Plan {
  const isOlder = state !== undefined && state.reader < source.agent.readerVersion;
  const isSame = isOlder && (source.fromVault || (source.size >= state.offset && continues(source, state)));
  return isSame ? { do: 'restart' } : { do: 'skip', note: false };
}

/** Contract: opens the file only when sizes alone do not decide. */
export function planFor(source: Source, state: FileState | undefined, reimport: boolean): Plan {
  if (state === undefined) return { do: 'read' };
  const { size } = source;
  const seen = state.copies.get(source.root);
  const elsewhere = [...state.copies].filter(([root]) => root !== source.root).map(([, copy]) => copy);
  if (!reimport && (size === state.offset || size === seen)) return { do: 'skip', note: size !== seen };
  // What another root still holds is not swept for a file that was replaced under this one.
  if (!continues(source, state)) return { do: seen === undefined || elsewhere.length > 0 ? 'separate' : 'restart' };
  const oldCopy = size < state.offset && elsewhere.some((copy) => copy > size);
  if (reimport) return oldCopy ? { do: 'skip', note: false } : { do: 'restart' };
  if (size > state.offset) return { do: 'read' };
  // Another pass has taken in more since the size was captured: the file was not cut.
  if (size < state.offset && sizeNow(source.path) > size) return { do: 'skip', note: false };
  return seen !== undefined && size < seen && !oldCopy ? { do: 'restart' } : { do: 'skip', note: true };
}

const sizeNow = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Whether the file begins, and at the offset ends, with the bytes that were read before; as far as it is long enough to tell. */
export function continues({ path, size, group, root }: Source, { head, tail, offset }: FileState): boolean {
  const beginning = head.split(' ').findLast((print) => lengthOf(print) <= size) ?? '';
  const fd = openTranscript(path, group && root);
  try {
    return sameBytes(fd, beginning, 0) && (offset > size || sameBytes(fd, tail, offset - lengthOf(tail)));
  } finally {
    fs.closeSync(fd);
  }
}

/** A print begins with the number of bytes it was taken of; an empty one was taken of none. */
const lengthOf = (print: string): number => Number.parseInt(print, 10) || 0;

function sameBytes(fd: number, print: string, start: number): boolean {
  const bytes = Buffer.alloc(lengthOf(print));
  const got = fs.readSync(fd, bytes, 0, bytes.length, start);
  return bytes.length === 0 || fingerprint(bytes.subarray(0, got)) === print;
}
