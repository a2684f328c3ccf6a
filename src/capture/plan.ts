// What to do with a file, given its stored state: skip it, continue reading, restart, or treat it as a separate file.
import fs from 'node:fs';
import type { FileState } from '../store/transcripts/port.ts';
import type { Source } from './chunk.ts';
import { fingerprint } from './fingerprint.ts';
import { openTranscript } from './plain-file.ts';

export type Plan =
  | { readonly do: 'skip'; readonly note: boolean }
  /** Continues at the stored offset. */
  | { readonly do: 'read' }
  /** Reads from the start and removes what is gone. */
  | { readonly do: 'restart' }
  /** A different file that has the same key under another root. */
  | { readonly do: 'separate' };

/** For a file that an older reader has read: read it again if it is still the same file, otherwise leave it alone. */
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
  // The file was replaced under this root, but another root still has the old one: keep its entries.
  if (!continues(source, state)) return { do: seen === undefined || elsewhere.length > 0 ? 'separate' : 'restart' };
  const oldCopy = size < state.offset && elsewhere.some((copy) => copy > size);
  if (reimport) return oldCopy ? { do: 'skip', note: false } : { do: 'restart' };
  if (size > state.offset) return { do: 'read' };
  // Another pass has read more since the size was captured: the file was not truncated.
  if (size < state.offset && sizeNow(source.path) > size) return { do: 'skip', note: false };
  return seen !== undefined && size < seen && !oldCopy ? { do: 'restart' } : { do: 'skip', note: true };
}

const sizeNow = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Whether the file has the bytes that were read before, at its beginning and before the offset, as far as it is long enough to compare. */
export function continues({ path, size, group, root }: Source, { head, tail, offset }: FileState): boolean {
  const beginning = head.split(' ').findLast((hash) => lengthOf(hash) <= size) ?? '';
  const fd = openTranscript(path, group && root);
  try {
    return sameBytes(fd, beginning, 0) && (offset > size || sameBytes(fd, tail, offset - lengthOf(tail)));
  } finally {
    fs.closeSync(fd);
  }
}

/** A hash begins with the number of bytes that it covers; an empty one covers none. */
const lengthOf = (hash: string): number => Number.parseInt(hash, 10) || 0;

function sameBytes(fd: number, hash: string, start: number): boolean {
  const bytes = Buffer.alloc(lengthOf(hash));
  const got = fs.readSync(fd, bytes, 0, bytes.length, start);
  return bytes.length === 0 || fingerprint(bytes.subarray(0, got)) === hash;
}
