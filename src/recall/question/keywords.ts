// Free text → keyword query. Any text is a valid query; one without words finds nothing.

import { isTellingWord } from '../../language/stop-words.ts';
import { splitName } from '../../store/search/index-text.ts';
import type { KeywordQuery, KeywordTerm } from '../../store/search/port.ts';
import { isUnspaced, segment } from '../../store/search/segment.ts';
import { beginningOf, isFillWord, looksGerman, withoutUmlautE, withUmlautE } from './inflection.ts';
import { longestQuery, wordPattern } from './words.ts';

const maxTerms = 48;
const maxVariants = 24;
const maxPhrases = 8;
/** Longer chains of words (a pasted line of JSON) are searched in pieces. */
const maxWords = 8;

export function parseKeywords(input: string): KeywordQuery {
  const phrases: string[][] = [];
  const text = segment(input.slice(0, longestQuery));
  const rest = text.replace(/["“”]([^"“”]*)["“”]/g, (_, inside: string) => {
    const words = wordsOf(inside);
    if (words.length > 0 && phrases.length < maxPhrases) phrases.push(...pieces(words).slice(0, 4));
    return ' ';
  });
  const found = unique(tokens(rest));
  const inGerman = looksGerman(found.flatMap(({ words }) => words).slice(0, 500));
  const telling = found.filter(
    ({ words: [first = '', ...others] }) => others.length > 0 || (isTellingWord(first) && !isFillWord(first, inGerman)),
  );
  const terms = longest(telling.length > 0 || phrases.length > 0 ? telling : found);
  const variants = without(terms, [...runsOf(input), ...terms.flatMap((term) => [...variantsOf(term, inGerman)])]);
  return {
    terms: terms.map(({ words, prefix, parts }) => ({ words, prefix, ...(parts ? { parts } : {}) })),
    phrases: uniquePhrases(phrases),
    ...(variants.length > 0 ? { variants: variants.slice(0, maxVariants) } : {}),
  };
}

/** A term with its original token: only the typed form shows where the parts of a name begin. */
interface Term extends KeywordTerm {
  readonly typed: string;
}

const wordsOf = (text: string): string[] => (text.match(wordPattern) ?? []).map((word) => word.toLowerCase());

/** Words joined by punctuation (`src/auth.ts:42`, `ERR_NOT_FOUND`) stay together; apostrophes split them (`user's`). */
function* tokens(text: string): Generator<Term> {
  for (const token of text.match(/[^\s'’]+/gu) ?? []) {
    const typed = bare(token);
    let isPath: boolean | undefined;
    for (const words of pieces(wordsOf(typed))) {
      if (words.length > 1) isPath ??= narrower(typed) !== undefined;
      const parts = words.length > 1 ? (isPath ? [] : singles(words)) : withUmlaut(typed);
      const prefix = isUnspaced(words[words.length - 1] as string);
      yield { words, prefix, typed, ...(parts.length > 0 ? { parts } : {}) };
    }
  }
}

const opening = '([{<«"“`';
const closing = '?!,;.)]}>»"”`';

/** A token without the punctuation around it. */
function bare(token: string): string {
  let from = 0;
  let to = token.length;
  while (from < to && opening.includes(token[from] as string)) from++;
  while (to > from && closing.includes(token[to - 1] as string)) to--;
  return token.slice(from, to);
}

/** A name such as `Mueller` may be written Müller in the text. */
const withUmlaut = (typed: string): KeywordTerm[] => {
  const word = typed.toLowerCase();
  const folded = /^\p{Lu}/u.test(typed) ? withoutUmlautE(word) : word;
  return folded === word ? [] : [{ words: [folded], prefix: false }];
};

const singles = (words: readonly string[]): KeywordTerm[] =>
  [...new Set(words)]
    .filter((word) => word.length > 1 && isTellingWord(word) && !/^\d+$/.test(word))
    .map((word) => ({ words: [word], prefix: false }));

/** The end of a path, without the line number: `jwt.ts` of `src/auth/jwt.ts:42`. */
function narrower(typed: string): string | undefined {
  const [, path = '', line] = /^(.*?)((?::\d+){1,2}:?)?$/s.exec(typed) ?? [];
  const name = path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  // `artists/bands` is not a path.
  const isPath = line !== undefined || /^[/~.\\]|[/\\].*[/\\]|[/\\][^/\\]*\.\w+$/.test(path);
  return isPath && name.length > 2 && name !== typed ? name : undefined;
}

/** Other spellings of the same term. */
function* variantsOf({ words, typed }: Term, inGerman: boolean): Generator<KeywordTerm> {
  if (typed.length > 200) return;
  const name = narrower(typed);
  if (name !== undefined) {
    const path = wordsOf(typed.replace(/(?::\d+){1,2}:?$/, ''));
    if (path.length <= maxWords) yield { words: path, prefix: false };
    const end = wordsOf(name);
    if (end.length > 0 && end.length <= maxWords) yield { words: end, prefix: false, parts: singles(words) };
  }
  // sha-256, sha_256: sha256
  if (words.length > 1 && words.length <= 4 && /^[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+$/u.test(typed))
    yield { words: [words.join('')], prefix: false };
  const version = /^[vV](\d+(?:\.\d+)+)/.exec(typed)?.[1];
  if (version !== undefined) yield { words: wordsOf(version), prefix: false };
  for (const word of typed.match(wordPattern) ?? []) {
    const isName = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]|^\p{L}{2,}\d+$/u.test(word);
    const parts = isName ? splitName(word).map((part) => part.toLowerCase()) : [];
    if (parts.length > 1) yield { words: parts, prefix: false, parts: singles(parts) };
  }
  const [word] = words;
  if (words.length > 1 || word === undefined) return;
  const forms = inGerman ? new Set([word, withUmlautE(word), withoutUmlautE(word)]) : [word];
  for (const form of forms) {
    if (form !== word) yield { words: [form], prefix: false };
    const beginning = beginningOf(form, inGerman);
    if (beginning !== undefined) yield { words: [beginning], prefix: true };
  }
}

/** A run typed without spaces (`重试队列`) as one term: its words side by side say more than each of them somewhere. */
function* runsOf(input: string): Generator<KeywordTerm> {
  for (const run of isUnspaced(input) ? (input.slice(0, 2000).match(/[^\s\p{P}]+/gu) ?? []) : []) {
    const words = wordsOf(segment(run));
    if (isUnspaced(run) && words.length > 1 && words.length <= maxWords) yield { words, prefix: true };
    // The segmenter knows few words in hiragana that usually have another spelling.
    if (words.length > 1 && /^[\u3041-\u3096ー]{3,12}$/.test(run)) yield { words: [words.join('')], prefix: true };
  }
}

const without = (terms: readonly KeywordTerm[], variants: readonly KeywordTerm[]): KeywordTerm[] => {
  const key = ({ words, prefix }: KeywordTerm) => `${words.join(' ')}${prefix ? '*' : ''}`;
  const known = new Set(terms.map(key));
  return variants.filter((variant) => !known.has(key(variant)) && known.add(key(variant)));
};

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
