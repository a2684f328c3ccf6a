// Taking a change of a text back, as long as the text is as the change left it.
import { createHash } from 'node:crypto';
import type { Undo } from './record.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export function undoOf(before: string, after: string): Undo {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before[at] === after[at]) at++;
  let tail = 0;
  while (tail < shorter - at && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { hash: hashOf(after), at, cut: after.length - tail - at, put: before.slice(at, before.length - tail) };
}

/** The text before the change; undefined if the text has changed since. */
export const undone = (text: string, { hash, at, cut, put }: Undo): string | undefined =>
  hashOf(text) === hash ? text.slice(0, at) + put + text.slice(at + cut) : undefined;
