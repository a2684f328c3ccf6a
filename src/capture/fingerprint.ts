// ① Whether a file is still the one that was read: hashes of its beginning and of the last bytes read.
import { createHash } from 'node:crypto';
import type { Piece } from './lines.ts';

/** Length and hash of some bytes: enough to tell whether a file still has the same bytes there. */
export const fingerprint = (bytes: Buffer): string =>
  `${bytes.length}:${createHash('sha1').update(bytes).digest('base64url')}`;

/** Hashes of the first bytes at several lengths, so that a file that has become shorter can be compared too. */
export const headOf = (bytes: Buffer): string =>
  [64, 256, bytes.length]
    .filter((length) => length <= bytes.length)
    .map((length) => fingerprint(bytes.subarray(0, length)))
    .join(' ');

/** Hash of the last bytes before the end of a piece. */
export function tailOf(piece: Piece, from: number): string {
  const end = Math.min(piece.end - piece.start, piece.bytes.length);
  const length = Math.min(1024, end, piece.end - from);
  return piece.end - piece.start > piece.bytes.length ? '' : fingerprint(piece.bytes.subarray(end - length, end));
}
