// Texts → words as the hub knows them: hashes of the same stems as in the local index. The hub holds no list of words.
import { stemmer } from 'stemmer';
import { isTellingWord } from '../language/stop-words.ts';
import { fold, wordPattern } from '../recall/question/words.ts';
import type { ExportedEntry } from '../schema/exported.ts';
import { indexText } from '../store/search/index-text.ts';
import { indexedUses } from '../store/search/tool-text.ts';

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

const known = new Map<string, number | undefined>();
const mostKnown = 50_000;

/** The hash of a word's stem; undefined for words such as `the`. */
export function wordHash(word: string): number | undefined {
  const kept = known.get(word);
  if (kept !== undefined || known.has(word)) return kept;
  const folded = fold(word);
  const telling = folded.length <= longestWord && isTellingWord(folded);
  const found = telling ? hash53(stemmer(folded)) : undefined;
  if (known.size >= mostKnown) known.clear();
  known.set(word, found);
  return found;
}

export interface Words {
  readonly words: readonly number[];
  readonly times: readonly number[];
  readonly length: number;
}

export function wordsOf(entry: Pick<ExportedEntry, 'text' | 'uses'>): Words {
  const { input, output } = indexedUses(entry.uses);
  const counts = new Map<number, number>();
  let length = 0;
  for (const text of [entry.text, input, output])
    for (const word of indexText(text.slice(0, longest)).match(wordPattern) ?? []) {
      length++;
      const hash = wordHash(word);
      if (hash !== undefined && (counts.size < mostWords || counts.has(hash)))
        counts.set(hash, (counts.get(hash) ?? 0) + 1);
    }
  return { words: [...counts.keys()], times: [...counts.values()].map((n) => Math.min(n, 1000)), length };
}
