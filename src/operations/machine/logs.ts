import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { systemCode } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';

/** More than a person reads at once, and small enough to read in one go. */
const maxBytes = 1024 * 1024;

export const logs = operation({
  name: 'logs',
  ending: 'orderly',
  summary: "Print the end of the worker's log",
  input: z.object({
    lines: z.int().min(1).max(10_000).default(50).describe('how many lines'),
    follow: z.boolean().default(false).describe('print new lines until Ctrl+C'),
  }),
  output: z.object({ file: z.string(), lines: z.array(z.string()) }),
  surfaces: ['cli'],
  examples: ['holdfast logs', 'holdfast logs --lines 200', 'holdfast logs --follow'],
  withoutStore: true,
  async run({ config, say, signal }: Context<never>, input) {
    const file = config.logPath;
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const lines = readFrom(file, Math.max(0, size - maxBytes))
      .split('\n')
      .slice(0, -1)
      .slice(-input.lines);
    if (!input.follow || !say) return { file, lines };
    for (const line of lines) say(line);
    let at = size;
    while (!signal?.aborted) {
      // Rejects when the signal aborts; the loop's condition then ends the loop.
      await sleep(500, undefined, signal ? { signal } : {}).catch(() => undefined);
      const now = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (now < at) at = 0;
      const fresh = readFrom(file, at);
      const whole = fresh.slice(0, fresh.lastIndexOf('\n') + 1);
      at += Buffer.byteLength(whole);
      for (const line of whole.split('\n').slice(0, -1)) say(line);
    }
    return { file, lines: [] };
  },
});

function readFrom(path: string, start: number): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
  try {
    const buffer = Buffer.alloc(Math.min(maxBytes, Math.max(0, fstatSync(file).size - start)));
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, start));
  } finally {
    closeSync(file);
  }
}
