// ① What is kept of a tool's input and output: its head and its tail, redacted.
import { briefingTag } from '../schema/briefing-tag.ts';
import { recallTag } from '../schema/recall-tag.ts';
import { redact } from './redaction/redact.ts';

export interface Kept {
  readonly head: number;
  readonly tail: number;
}

/** Redacted, then head and tail of what is too long. Of a long text only what is kept, and a little more, is looked at. */
export function shorten(said: string, size: Kept): string {
  const { head, tail } = size;
  if (said.length <= head + tail + 4 * margin || hidesAtLength(said)) return clip(redact(said), size);
  const [first, last] = [redact(said.slice(0, wordEnd(said, head))), redact(said.slice(wordStart(said, -tail)))];
  return joined(first.slice(0, head), said.length - head - tail, last.slice(-tail));
}

/** What tells a secret, such as the name of its variable, is never further away than this from it. */
const margin = 256;
const longestHeader = 4096;

/** A secret has no blanks in it: a place between two words, near enough to the given one, cuts none. */
function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isBlankCode(text.charCodeAt(end))) end++;
  return end;
}

function wordStart(text: string, at: number): number {
  let start = text.length + at - margin;
  // The values of a header are many words: its name stands at the beginning of the line.
  const line = text.lastIndexOf('\n', start);
  if (start - line < longestHeader) start = line + 1;
  while (start > 0 && !isBlankCode(text.charCodeAt(start - 1))) start--;
  return start;
}

const isBlankCode = (code: number): boolean => code <= 32;

/** What is removed as a whole, and may be longer than the margin. */
const hidesAtLength = (text: string): boolean =>
  text.includes('PRIVATE KEY') ||
  /(?:<|&lt;|&#60;|\\u003c|\\x3c)\s{0,20}\/?\s{0,20}private/i.test(text) ||
  text.includes(briefingTag) ||
  text.includes(recallTag);

export const clip = (text: string, { head, tail }: Kept): string =>
  text.length <= head + tail ? text : joined(text.slice(0, head), text.length - head - tail, text.slice(-tail));

const joined = (first: string, left: number, last: string): string =>
  `${first.toWellFormed()} … [${left} characters left out] … ${last.toWellFormed()}`;
