// ④ What a hit shows of its text.
import { cosineOf } from '../../embedding/embedder.ts';
import { cut, sentencesOf } from '../../language/gist.ts';
import type { Question } from '../question/question.ts';
import type { MeaningSearch } from '../vectors/index.ts';
import { matchedWords, snippet } from './snippet.ts';

const shownLength = 160;
const mostSentences = 40;

/** The part of a text that shows why it was found: the matching words, else the sentence nearest in meaning. */
export async function shown(
  text: string,
  { keywords }: Question,
  by: MeaningSearch | undefined,
  query: Int8Array | undefined,
): Promise<string> {
  if (by === undefined || query === undefined || text.length <= shownLength || matchedWords(text, keywords).length > 0)
    return snippet(text, keywords);
  let best = { cosine: 0, sentence: '' };
  for (const { text: sentence } of sentencesOf(text).slice(0, mostSentences)) {
    const vector = await by.embed(sentence);
    const cosine = vector === undefined ? 0 : cosineOf(vector, query);
    if (cosine > best.cosine) best = { cosine, sentence };
  }
  return best.sentence === '' ? snippet(text, keywords) : cut(best.sentence, shownLength);
}
