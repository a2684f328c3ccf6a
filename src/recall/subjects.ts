// What a project's sessions keep coming back to: words that several of their titles share.
import { stemmer } from 'stemmer';
import { isTellingWord } from './keywords.ts';
import { fold, wordPattern } from './words.ts';

/** Words of every project, which tell nothing about one. */
const everyday = new Set(
  (
    'add added adding ask bit bug build can change changed changes check claude code could create does done error errors ' +
    'file files fine first fix fixed fixes fixing get getting give good help hey hello implement improve issue issues just ' +
    'keep know latest let like little look make making many maybe move need needed new next now ok okay one please problem ' +
    'project put read really refactor remove rename right run running see set should show simple something start still sure ' +
    'take tell thanks thing think time try two update updated use used using want way well work working write yes yet ' +
    'find found last never always again back call called come different enough every everything far full got hard idea kind ' +
    'left line lines long lot mean only open part place point possible same second seems side small sort stop today whether ' +
    'user users main model test tests testing failing fail fails old big instead since version via without whole also seem seems'
  ).split(' '),
);

/** At most `limit` words, in most titles first; each is in at least two, and in an eighth of them. Few titles have no subject. */
export function subjectsOf(titles: readonly string[], limit: number): string[] {
  if (titles.length < 5) return [];
  const found = new Map<string, { word: string; titles: number }>();
  for (const title of titles) {
    const seen = new Set<string>();
    for (const [word] of title.matchAll(wordPattern)) {
      const folded = fold(word);
      const stem = stemmer(folded);
      if (folded.length < 3 || /^\d+$/.test(folded) || everyday.has(folded) || !isTellingWord(folded) || seen.has(stem))
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
