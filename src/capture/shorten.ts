// ① What is kept of a tool's input and output: the head and the tail, redacted.
import { briefingTag } from '../schema/briefing-tag.ts';
import { recallTag } from '../schema/recall-tag.ts';
import { redact } from './redaction/redact.ts';

export interface Kept {
  readonly head: number;
  readonly tail: number;
}

/** Redacts a text, then keeps its head and tail if it is too long. Of a long text, only these parts and a margin are redacted. */
export function shorten(said: string, size: Kept): string {
  const { head, tail } = size;
  if (said.length <= head + tail + 4 * margin || hidesAtLength(said)) return clip(redact(said), size);
  const [first, last] = [redact(said.slice(0, wordEnd(said, head))), redact(said.slice(wordStart(said, -tail)))];
  return joined(first.slice(0, head), said.length - head - tail, last.slice(-tail));
}

/** The context that identifies a secret, such as its variable's name, is never further than this from the secret. */
const margin = 256;
const longestHeader = 4096;

/** A secret has no blanks in it, so a cut between two words never cuts a secret. */
function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isBlankCode(text.charCodeAt(end))) end++;
  return end;
}

function wordStart(text: string, at: number): number {
  let start = text.length + at - margin;
  // A header's value has many words: its name is at the start of the line.
  const line = text.lastIndexOf('\n', start);
  if (start - line < longestHeader) start = line + 1;
  while (start > 0 && !isBlankCode(text.charCodeAt(start - 1))) start--;
  return start;
}

const isBlankCode = (code: number): boolean => code <= 32;

/** It begins with the word, which is quick to look for, and then looks back for the sign. */
const privateTag = /private(?<=(?:<|&lt;|&#60;|\\u003c|\\x3c)\s{0,20}\/?\s{0,20}private)/i;

/** Passages that are removed as a whole and may be longer than the margin. */
const hidesAtLength = (text: string): boolean =>
  text.includes('PRIVATE KEY') || privateTag.test(text) || text.includes(briefingTag) || text.includes(recallTag);

export const clip = (text: string, { head, tail }: Kept): string =>
  text.length <= head + tail ? text : joined(text.slice(0, head), text.length - head - tail, text.slice(-tail));

const joined = (first: string, left: number, last: string): string =>
  `${first.toWellFormed()} … [${left} characters left out] … ${last.toWellFormed()}`;
