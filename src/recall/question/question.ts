// ④ A person's question → what to search for: words, names, times, the speaker, and the weight of each word.
import type { Config } from '../../config/config.ts';
import type { WeightedWords } from '../../embedding/embedder.ts';
import type { KeywordQuery } from '../../store/search/port.ts';
import { namesIn } from '../refine.ts';
import { parseKeywords } from './keywords.ts';
import { type TimeRange, timeWords } from './time-words.ts';
import { refuseUnsearchable, wordPattern } from './words.ts';

export interface Question {
  readonly text: string;
  readonly keywords: KeywordQuery;
  readonly names: readonly string[];
  readonly times: readonly TimeRange[];
  readonly speaker: 'user' | 'assistant' | undefined;
}

/** Throws if the text has nothing to search for. */
export async function readQuestion(text: string, at: { now: number; config: Config | undefined }): Promise<Question> {
  if (text.trim() !== '') refuseUnsearchable(text);
  const timeZone = at.config?.settings.timeZone ?? 'UTC';
  const { ranges } = await timeWords(text, { now: at.now, timeZone });
  return {
    text,
    keywords: parseKeywords(text),
    names: namesIn(text),
    times: ranges,
    speaker: speakerIn(text),
  };
}

/** A request for something now (`can you suggest`), not for something said before. */
const request = /\b(?:can|could|would|will) you(?: please)? \p{L}+(?: me)?\b/giu;
const ofAssistant =
  /\byou(?:'d|’d)? (?:have |had )?(?:suggest|recommend|sa(?:y|id)|t(?:ell|old)|g[ai]ve|mention|propose|explain|answer|advise)/i;
const ofUser = /\b(?:I|I['’](?:m|ve|d|ll)|i['’](?:m|ve|d|ll)|[Mm]y|[Mm]ine|[Mm]yself)\b/;

/** `what did you suggest` is about the assistant's words; `my` or `I` without a `you` is about the person's. */
export function speakerIn(text: string): Question['speaker'] {
  const asked = text.replace(request, ' ');
  if (ofAssistant.test(asked)) return 'assistant';
  return ofUser.test(asked) && !/\byour?\b/i.test(asked) ? 'user' : undefined;
}

/** `fix(login): …`, `store/search: …` */
const withSubject = /^[\w.-]+(?:[/,] ?[\w.-]+)*(?:\([^)\n]*\))?!?: \S/;
/** A capital, and words that follow: `Add a retry to the sender` */
const likeSentence = /^\p{Lu}[\p{Ll}'’-]+(?: \S+){2}/u;
const aboutPeople = /\b(?:I|me|my|we|us|our|you|your)\b|^(?:the|an?|this|that)\b/i;
const asking = /\?\s*$|^(?:what|which|who|whose|where|when|why|how|did|do|does|is|are|was|were|can|could|should)\b/i;

/** True for what looks like the message of a commit: it is about all the work of a session, where a question is about one moment in it. */
export const looksLikeCommit = (text: string): boolean => {
  const [subject = ''] = text.trim().split('\n', 1);
  return (
    withSubject.test(subject) || (likeSentence.test(subject) && !asking.test(subject) && !aboutPeople.test(subject))
  );
};

/** The query without its quotes. Undefined if it has none, or nothing else. */
export function withoutQuotes(query: string): string | undefined {
  const { phrases, terms } = parseKeywords(query);
  return phrases.length === 0 || terms.length === 0 ? undefined : query.replace(/["“”]/g, ' ');
}

/** The weight of `the`, compared with a word that one in 4 entries contains. */
const leastWeight = 1.5;
/** More words of a pasted text add nothing. */
const mostWords = 200;

/** The words of a text with their weights: the rarer a word, the more it says. `rarity` is that of the query's terms. */
export function weighted(question: Question, rarity: readonly number[]): WeightedWords {
  const weightOf = new Map(question.keywords.terms.map(({ words }, i) => [words.join(' '), rarity[i] ?? 1]));
  const words = (question.text.match(/[^\s'’]+/gu) ?? []).slice(0, mostWords);
  const key = (word: string) => (word.match(wordPattern) ?? []).join(' ').toLowerCase();
  return { words, weights: words.map((word) => Math.max(leastWeight, weightOf.get(key(word)) ?? 0)) };
}
