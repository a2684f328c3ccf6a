// Texts → a few words that say what they are about. Identifiers and names of files count more than plain words.
import { stemmer } from 'stemmer';
import { isEveryday, isTellingWord } from '../../language/stop-words.ts';

const most = 8;
const looked = 12_000;

/** Words that occur in every answer and so do not characterize one. */
const common = new Set(
  (
    'pass passes index readme here there summary done perfect great changes change changed successfully complete completed added updated fixed created removed ' +
    'command commands directly currently existing several based following both needs actually automatically correctly properly ' +
    'implementation functionality instead current default option options result results example shows showing include includes ' +
    'including provide provides following ensure ensures simply example note step steps question questions answer details detail ' +
    'approach support supports handle handles allow allows value values name names type types string number true false null ' +
    'undefined return returns content message messages text list lists item items data input output function functions method methods ' +
    'class const import export async await this that with from have will your would could about into when where which while these those'
  ).split(' '),
);

const identifier = /[a-z\d][A-Z]|[_]|^[A-Z]{2,}\d*$|^[A-Z][a-z]+[A-Z]/;

export function conceptsOf(texts: readonly string[], files: readonly string[]): string[] {
  const counts = new Map<string, { word: string; score: number }>();
  const add = (word: string, points: number) => {
    const lower = word.toLowerCase();
    const key = identifier.test(word) ? lower : stemmer(lower);
    const known = counts.get(key) ?? { word: /^\p{Lu}\p{Ll}+$/u.test(word) ? lower : word, score: 0 };
    counts.set(key, { ...known, score: known.score + points });
  };
  for (const text of texts)
    for (const [word] of text.slice(0, looked).matchAll(/[\p{L}][\p{L}\p{N}_]{2,39}/gu)) {
      const lower = word.toLowerCase();
      if (identifier.test(word)) add(word, 2);
      else if (lower.length > 3 && isTellingWord(lower) && !isEveryday(lower) && !common.has(lower)) add(word, 1);
    }
  for (const file of files.slice(0, 20)) {
    const stem =
      file
        .split('/')
        .at(-1)
        ?.replace(/\.\w+$/, '') ?? '';
    if (/^[\p{L}][\p{L}\p{N}_-]{2,39}$/u.test(stem) && !common.has(stem.toLowerCase())) add(stem, 2);
  }
  return [...counts.values()]
    .filter(({ score }) => score >= 3)
    .sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1))
    .slice(0, most)
    .map(({ word }) => word);
}
