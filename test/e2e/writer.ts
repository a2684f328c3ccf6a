// Another program that writes transcripts: it appends pieces of any length, cut anywhere, with pauses of any length.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dice } from './holdfast.ts';

export interface Growth {
  readonly source: string;
  readonly target: string;
}

/** Small pieces, so that most end inside a line. */
const pieces = 120;

/**
 * Rebuilds each target from its source, all at the same time. The last tenth of each waits for `hold`, so until then the files still grow,
 * however slow the machine is.
 */
export async function grow(plan: readonly Growth[], seed: number, hold: Promise<void>): Promise<void> {
  await Promise.all(
    plan.map(async ({ source, target }, index) => {
      const random = dice(seed + index);
      const bytes = readFileSync(source);
      mkdirSync(path.dirname(target), { recursive: true });
      for (let at = 0; at < bytes.length; ) {
        if (at > bytes.length * 0.9) await hold;
        const wanted = 1 + random.below((2 * bytes.length) / pieces);
        const end = random.next() < 0.3 ? insideCharacter(bytes, at + wanted) : at + wanted;
        appendFileSync(target, bytes.subarray(at, end));
        at = end;
        // Mostly at once; sometimes after a pause in which the reader can run.
        await sleep(random.next() < 0.6 ? random.below(4) : random.below(120));
      }
    }),
  );
}

/** The next position at or after an offset that lies inside a multi-byte character. */
function insideCharacter(bytes: Buffer, from: number): number {
  for (let at = from; at < Math.min(bytes.length, from + 20_000); at++)
    if (((bytes[at] as number) & 0xc0) === 0x80) return at;
  return from;
}

/** A promise and the function that resolves it. */
export function holding(): { held: Promise<void>; release: () => void } {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}
