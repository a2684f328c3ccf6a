// Transcripts that took too long to read. Ingest sets them aside and tries them again when the file or the program has changed.
import fs from 'node:fs';
import type { SetAside } from '../store/transcripts/port.ts';
import type { Source } from './chunk.ts';
import { fingerprint } from './fingerprint.ts';
import { openTranscript } from './plain-file.ts';

/** Bytes of the line to hash: enough to see whether it has changed. */
const looked = 4096;

/** Identifies the file and the position in it. */
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

/** Whether the file is unchanged since it was set aside. `offset`: how far it has been read since. */
export const isStillAside = (source: Source, aside: SetAside, offset: number, version: string): boolean =>
  aside.version === version && offset <= aside.pos && aside.mark === markOf(source, aside.pos);
