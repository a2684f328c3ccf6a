// Free text → keyword query. Any text is a valid query; one without words finds nothing.

import { isUnspaced, segment } from '../store/segment.ts';
import type { KeywordQuery } from '../store/store.ts';
import { isTellingWord } from '../text/stop-words.ts';
import { wordPattern } from './words.ts';

const maxTerms = 48;
const maxPhrases = 8;
/** Longer chains of words (a pasted line of JSON) are looked for in pieces. */
const maxWords = 8;
/** More text than this adds nothing to the choice of 48 terms. */
const maxLength = 200_000;

interface Term {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

export function parseKeywords(input: string): KeywordQuery {
  const phrases: string[][] = [];
  const text = segment(input.slice(0, maxLength));
  const rest = text.replace(/["“”]([^"“”]*)["“”]/g, (_, inside: string) => {
    const words = wordsOf(inside);
    if (words.length > 0 && phrases.length < maxPhrases) phrases.push(...pieces(words).slice(0, 4));
    return ' ';
  });
  const all = unique(tokens(rest));
  const telling = all.filter(({ words }) => words.length > 1 || isTellingWord(words[0] as string));
  const terms = telling.length > 0 || phrases.length > 0 ? telling : all;
  return { terms: longest(terms), phrases: uniquePhrases(phrases) };
}

const wordsOf = (text: string): string[] => (text.match(wordPattern) ?? []).map((word) => word.toLowerCase());

/** Words joined by punctuation (`src/auth.ts:42`, `ERR_NOT_FOUND`) stay together; apostrophes part them (`user's`). */
function* tokens(text: string): Generator<Term> {
  for (const token of text.match(/[^\s'’]+/gu) ?? []) {
    for (const words of pieces(wordsOf(token))) yield { words, prefix: isUnspaced(words[words.length - 1] as string) };
  }
}

function pieces(words: readonly string[]): string[][] {
  const out: string[][] = [];
  for (let i = 0; i < words.length; i += maxWords) out.push(words.slice(i, i + maxWords));
  return out;
}

function unique(terms: Iterable<Term>): Term[] {
  const seen = new Map<string, Term>();
  for (const term of terms) {
    const key = term.words.join(' ');
    if (!seen.has(key)) seen.set(key, term);
  }
  return [...seen.values()];
}

const uniquePhrases = (phrases: readonly string[][]): string[][] => [
  ...new Map(phrases.map((words) => [words.join(' '), words])).values(),
];

/** The longest terms say most. Counting lengths instead of sorting keeps it linear and in the order typed. */
function longest(terms: readonly Term[]): Term[] {
  if (terms.length <= maxTerms) return [...terms];
  const lengthOf = (term: Term) => Math.min(63, term.words.join(' ').length);
  const counts = new Array<number>(64).fill(0);
  for (const term of terms) (counts[lengthOf(term)] as number) += 1;
  let threshold = 63;
  let above = 0;
  while (threshold > 0 && above + (counts[threshold] as number) <= maxTerms) above += counts[threshold--] as number;
  let room = maxTerms - above;
  return terms.filter((term) => lengthOf(term) > threshold || (lengthOf(term) === threshold && room-- > 0));
}
