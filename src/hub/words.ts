// Texts → words as the hub knows them: hashes of the same stems as in the local index. The hub holds no list of words.
import { stemmer } from 'stemmer';
import { isTellingWord } from '../language/stop-words.ts';
import { fold } from '../recall/question/words.ts';
import type { ExportedEntry } from '../schema/exported.ts';
import { indexText } from '../store/search/index-text.ts';
import { indexedUses } from '../store/search/tool-text.ts';
import { type KnownWords, knownWords } from './known-words.ts';

/** 53 bits, so that JSON can represent it exactly. Among a million words, a collision is very unlikely. */
export function hash53(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

/** A log must not fill the index: only the beginning of a longer text counts. */
const longest = 20_000;
const mostWords = 200;
const longestWord = 40;
const mostTimes = 1000;

/** The hash of a word's stem; undefined for words such as `the`. */
export function wordHash(word: string): number | undefined {
  const folded = fold(word);
  const telling = folded.length <= longestWord && isTellingWord(folded);
  return telling ? hash53(stemmer(folded)) : undefined;
}

/** Most words of a text were in texts before it: each is stemmed once. */
const mostKnown = 20_000;
let known: KnownWords | undefined;

export interface Words {
  /** Hashes, and how often each occurs, as PostgreSQL writes arrays: it reads them many times faster than JSON's. */
  readonly words: string;
  readonly times: string;
  readonly length: number;
}

export function wordsOf(entry: Pick<ExportedEntry, 'text' | 'uses'>): Words {
  if (known === undefined || known.size() >= mostKnown) known = knownWords(wordHash, mostWords);
  const { input, output } = indexedUses(entry.uses);
  for (const text of [entry.text, input, output]) known.count(indexText(text.slice(0, longest)));
  const { hashes, times, length } = known.take();
  const capped = times.map((n) => Math.min(n, mostTimes));
  return { words: `{${hashes.join(',')}}`, times: `{${capped.join(',')}}`, length };
}
