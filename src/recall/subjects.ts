// What a project's sessions keep coming back to: words that several of their titles share.
import { stemmer } from 'stemmer';
import { isEveryday, isTellingWord } from '../text/stop-words.ts';
import { fold, wordPattern } from './words.ts';

/** At most `limit` words, in most titles first; each is in at least two, and in an eighth of them. Few titles have no subject. */
export function subjectsOf(titles: readonly string[], limit: number): string[] {
  if (titles.length < 5) return [];
  const found = new Map<string, { word: string; titles: number }>();
  for (const title of titles) {
    const seen = new Set<string>();
    for (const [word] of title.matchAll(wordPattern)) {
      const folded = fold(word);
      const stem = stemmer(folded);
      if (folded.length < 3 || /^\d+$/.test(folded) || isEveryday(folded) || !isTellingWord(folded) || seen.has(stem))
        continue;
      seen.add(stem);
      const known = found.get(stem) ?? { word, titles: 0 };
      found.set(stem, { word: known.word.length <= word.length ? known.word : word, titles: known.titles + 1 });
    }
  }
  const enough = Math.max(2, Math.ceil(titles.length / 8));
  return [...found.values()]
    .filter((one) => one.titles >= enough)
    .sort((a, b) => b.titles - a.titles || (a.word < b.word ? -1 : 1))
    .slice(0, limit)
    .map(({ word }) => (/^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word));
}
