// Transcripts that took too long to read: set aside, and tried again when the file or the program is another one.
import fs from 'node:fs';
import type { SetAside } from '../store/transcripts/port.ts';
import type { Source } from './chunk.ts';
import { fingerprint } from './fingerprint.ts';
import { openTranscript } from './plain-file.ts';

/** As much of the line as tells whether it is still the same. */
const looked = 4096;

/** What tells the file, and the place in it, from another. */
export function markOf({ path, group, root }: Source, pos: number): string {
  const fd = openTranscript(path, group && root);
  try {
    const bytes = Buffer.alloc(looked);
    const got = fs.readSync(fd, bytes, 0, looked, pos);
    return `${fs.fstatSync(fd, { bigint: true }).ino}:${pos}:${fingerprint(bytes.subarray(0, got))}`;
  } finally {
    fs.closeSync(fd);
  }
}

/** Whether the file still stands where it was set aside. `offset`: how far it was taken in since. */
export const isStillAside = (source: Source, aside: SetAside, offset: number, version: string): boolean =>
  aside.version === version && offset <= aside.pos && aside.mark === markOf(source, aside.pos);
