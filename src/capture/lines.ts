// A transcript's bytes → whole lines, read in pieces, so that memory does not grow with the file.
import fs from 'node:fs';

const pieceSize = 4 << 20;
/** A longer line is not read: nothing that a person or a model says needs it. */
export const longestLine = 32 << 20;

export interface Line {
  /** Byte offset of its first byte in the file. */
  readonly pos: number;
  /** The line's bytes without the newline: a view that is valid until the next line is asked for. */
  readonly bytes: Buffer;
  readonly tooLong: boolean;
}

export interface Piece {
  readonly lines: Iterable<Line>;
  /** The offset after the last line of this piece. */
  readonly end: number;
  /** Bytes of the file from `start` on, as far as this piece reaches. */
  readonly start: number;
  readonly bytes: Buffer;
  /** Nothing is left up to the captured size, except perhaps a line that is not finished. */
  readonly last: boolean;
}

let scratch = Buffer.alloc(0);

/**
 * Reads from `from` up to `size`, the size captured beforehand; what is appended meanwhile waits for the next pass.
 * A last line without its newline is given only when `isWhole` says so; else it waits, too.
 */
export function* readPieces(
  fd: number,
  from: number,
  size: number,
  isWhole: (line: Buffer) => boolean,
): Generator<Piece, void, void> {
  if (scratch.length === 0) scratch = Buffer.allocUnsafe(pieceSize);
  let buffer = scratch;
  let start = from;
  let filled = 0;
  while (start < size) {
    const wanted = Math.min(buffer.length, size - start);
    while (filled < wanted) {
      const got = fs.readSync(fd, buffer, filled, wanted - filled, start + filled);
      if (got === 0) break;
      filled += got;
    }
    // A file that is shorter than it was a moment ago ends here; the next pass sees its new size.
    const atEnd = filled < wanted || start + filled >= size;
    const bytes = buffer.subarray(0, filled);
    let end = bytes.lastIndexOf(10) + 1;
    if (atEnd && end < filled && isWhole(bytes.subarray(end))) end = filled;
    if (end > 0 || atEnd) {
      yield { lines: linesOf(bytes.subarray(0, end), start), start, bytes, end: start + end, last: atEnd };
      if (atEnd) return;
      buffer.copyWithin(0, end, filled);
      start += end;
      filled -= end;
      if (buffer !== scratch && filled < pieceSize) {
        buffer.copy(scratch, 0, 0, filled);
        buffer = scratch;
      }
    } else if (buffer.length < longestLine) {
      const larger = Buffer.allocUnsafe(Math.min(longestLine, buffer.length * 2));
      buffer.copy(larger, 0, 0, filled);
      buffer = larger;
    } else {
      const after = endOfLine(fd, start + filled, size);
      if (after === undefined) {
        yield { lines: [], start, bytes: bytes.subarray(0, 0), end: start, last: true };
        return;
      }
      yield {
        lines: [{ pos: start, bytes: bytes.subarray(0, 256), tooLong: true }],
        start,
        bytes,
        end: after,
        last: after >= size,
      };
      start = after;
      filled = 0;
      buffer = scratch;
    }
  }
}

function* linesOf(bytes: Buffer, start: number): Generator<Line, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(10, at);
    const end = newline < 0 ? bytes.length : newline;
    if (end > at) yield { pos: start + at, bytes: bytes.subarray(at, end), tooLong: false };
    at = end + 1;
  }
}

/** Where the line that goes on at `from` ends, or undefined when it is not finished. */
function endOfLine(fd: number, from: number, size: number): number | undefined {
  const block = Buffer.allocUnsafe(1 << 20);
  for (let at = from; at < size; ) {
    const got = fs.readSync(fd, block, 0, Math.min(block.length, size - at), at);
    if (got === 0) return undefined;
    const newline = block.subarray(0, got).indexOf(10);
    if (newline >= 0) return at + newline + 1;
    at += got;
  }
  return undefined;
}
