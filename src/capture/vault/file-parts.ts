// A range of a transcript, in parts of whole lines.
import fs from 'node:fs';
import type { Config } from '../../config/config.ts';
import { isInHomes } from '../group-sources.ts';
import { openTranscript } from '../plain-file.ts';

/** Large enough to compress well on its own, small enough not to delay other work. */
export const partBytes = 256 << 10;

/** Lines between two offsets, in parts. */
export function* partsOf(config: Config, file: string, from: number, to: number): Generator<string[]> {
  const fd = openTranscript(file, isInHomes(config, file) ? config.agentHomesPath : undefined);
  try {
    let rest: Buffer[] = [];
    for (let at = from; at < to; ) {
      const chunk = Buffer.alloc(Math.min(partBytes, to - at));
      const read = fs.readSync(fd, chunk, 0, chunk.length, at);
      if (read === 0) break;
      at += read;
      const end = at >= to ? read : chunk.lastIndexOf(10, read - 1) + 1;
      if (end > 0) {
        const whole = Buffer.concat([...rest, chunk.subarray(0, end)]).toString('utf8');
        rest = [];
        yield whole.split('\n').filter((line) => line !== '');
      }
      rest.push(chunk.subarray(end, read));
    }
  } finally {
    fs.closeSync(fd);
  }
}
