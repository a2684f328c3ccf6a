// A transcript's bytes → whole lines, read in pieces, so that memory use does not grow with the file.
import fs from 'node:fs';

const pieceSize = 4 << 20;
/** Longer lines are not read: no text of a person or a model needs that much. */
export const longestLine = 32 << 20;

export interface Line {
  /** Byte offset of its first byte in the file. */
  readonly pos: number;
  /** The line's bytes without the newline: a view that is valid until the next line is read. */
  readonly bytes: Buffer;
  readonly tooLong: boolean;
}

export interface Piece {
  readonly lines: Iterable<Line>;
  /** The offset after the last line of this piece. */
  readonly end: number;
  /** The file's bytes from `start` to the end of this piece. */
  readonly start: number;
  readonly bytes: Buffer;
  /** Nothing is left up to the captured size, except perhaps an unfinished line. */
  readonly last: boolean;
}

let scratch = Buffer.alloc(0);

/**
 * Reads from `from` up to `size`, which was captured beforehand; bytes appended later wait for the next pass.
 * A last line without its newline is yielded only if `isWhole` accepts it; otherwise it waits too.
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
    // A file that has just become shorter ends here; the next pass sees its new size.
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

/** Where the line that continues at `from` ends, or undefined if it is unfinished. */
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
