// ④ Hits of two searches → scores on one scale. Each search ranks within its own texts, whose words are counted separately; here, the texts
// of both are compared with the question once more, side by side. Texts in, numbers out.
import { stemmer } from 'stemmer';
import { indexText } from '../../store/search/index-text.ts';
import type { KeywordQuery, KeywordTerm } from '../../store/search/port.ts';
import { indexedUses, type UseText } from '../../store/search/tool-text.ts';
import { fold, wordPattern } from '../question/words.ts';
import { flag } from '../vectors/places.ts';
import { type RankInput, rankAlone, type Standing } from './rank.ts';

/** The entry by which a hit was found. */
export interface FoundEntry {
  readonly text: string;
  readonly uses: readonly UseText[];
  readonly at: number;
  readonly role: string;
  readonly subagent: boolean;
  /** Of its vector with the question's. */
  readonly cosine?: number | undefined;
}

export interface Measure extends Pick<RankInput, 'speaker' | 'times' | 'subagentsAlike'> {
  readonly keywords: KeywordQuery;
  /** How rare each term is, counted in one of the stores. */
  readonly rarity: readonly number[];
  /** How much of the score comes from meaning, if all are compared by it. */
  readonly ofMeaning: number;
}

/** Only the beginning of a longer text counts, as in the hub's index. */
const longest = 20_000;

/**
 * For each list, the scores of its entries, from 0 to 1. The order of a list stays: an entry scores at least what those behind it score,
 * because its own search knew more than its text.
 */
export function onOneScale(measure: Measure, lists: readonly (readonly FoundEntry[])[]): number[][] {
  const all = lists.flat();
  const { keywords, rarity, ofMeaning, speaker, times, subagentsAlike } = measure;
  const byMeaning = lists.every((list) => list.length === 0 || list.some(({ cosine }) => cosine !== undefined));
  const places: Standing = {
    size: all.length,
    rowid: Int32Array.from(all, (_, i) => i),
    session: new Int32Array(all.length),
    at: Float64Array.from(all, ({ at }) => at),
    role: Uint8Array.from(all, ({ role }) => (role === 'user' ? 0 : 1)),
    flags: Uint8Array.from(
      all,
      ({ cosine, subagent }) => (cosine === undefined ? flag.noVector : 0) | (subagent ? flag.subagent : 0),
    ),
  };
  const cosines = byMeaning ? Float32Array.from(all, ({ cosine }) => cosine ?? 0) : undefined;
  const scores = new Float64Array(all.length);
  const words = wordScores(all, keywords, rarity);
  for (const { place, score } of rankAlone({ places, words, cosines, speaker, times, subagentsAlike }, ofMeaning))
    scores[place] = score;
  const most = scores.reduce((best, score) => Math.max(best, score), 0) || 1;
  let from = 0;
  return lists.map((list) => {
    const own = Array.from(scores.subarray(from, from + list.length), (score) => score / most);
    from += list.length;
    for (let i = own.length - 2; i >= 0; i--) own[i] = Math.max(own[i] as number, own[i + 1] as number);
    return own;
  });
}

/** BM25 of every text with words of the question. */
function wordScores(
  all: readonly FoundEntry[],
  { terms, phrases, variants = [] }: KeywordQuery,
  rarity: readonly number[],
): { place: number; score: number }[] {
  // One more for each: in a small store no word is rare.
  const asked = [
    ...terms.map((term, i) => ({ stems: stemsOf(term), weight: 1 + (rarity[i] ?? 0) })),
    ...phrases.map((phrase) => ({ stems: new Set(phrase.map(stem)), weight: 1 })),
    ...variants.map((term) => ({ stems: stemsOf(term), weight: 1 })),
  ];
  const texts = all.map(({ text, uses }) => {
    const { input, output } = indexedUses(uses);
    return [text, input, output]
      .flatMap((part) => indexText(part.slice(0, longest)).match(wordPattern) ?? [])
      .map(stem);
  });
  const mean = Math.max(1, texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length));
  return texts.flatMap((words, place) => {
    const score = asked.reduce((sum, { stems, weight }) => {
      const times = words.filter((word) => stems.has(word)).length;
      return sum + (weight * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / mean));
    }, 0);
    return score > 0 ? [{ place, score }] : [];
  });
}

const stem = (word: string): string => stemmer(fold(word));

const stemsOf = ({ words, parts = [] }: KeywordTerm): Set<string> =>
  new Set([...words, ...parts.flatMap((part) => part.words)].map(stem));
