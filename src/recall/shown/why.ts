// ④ Why something was found, in a few words each.
import type { KeywordQuery } from '../../store/search/port.ts';
import type { TimeRange } from '../question/time-words.ts';
import { wordPattern } from '../question/words.ts';
import type { Candidate } from '../refine.ts';
import { matchedWords } from './snippet.ts';

const mostWords = 6;
/** From these shares on, a part of the score is worth mentioning. */
const closeMeaning = 0.5;
const muchNear = 0.25;
const muchSession = 0.7;

export function reasons(
  candidate: Candidate<unknown>,
  { keywords, times }: { readonly keywords: KeywordQuery; readonly times: readonly TimeRange[] },
  /** The words of the query in a tool use of the entry. */
  inTools: readonly string[] = [],
): string[] {
  const { score, meaning, near, answers, session, time, whole, text } = candidate;
  const why: string[] = whole.map((name) => `has ${name}`);
  const named = new Set(whole.flatMap((name) => name.toLowerCase().match(wordPattern) ?? []));
  const inText = candidate.words > 0 ? matchedWords(text, keywords) : [];
  const words = [...new Set([...inText, ...inTools])].filter((word) => !named.has(word));
  if (words.length > 0) why.push(`words: ${words.slice(0, mostWords).join(', ')}`);
  if (meaning >= closeMeaning) why.push('similar in meaning');
  if (near >= muchNear * score) why.push(answers ? 'answers a question that matches' : 'next to a match');
  if (time >= 0) why.push(`from the time asked for: ${times[time]?.said ?? ''}`);
  if (session >= muchSession) why.push('its session is about it');
  return why.length > 0 ? why : ['weak match'];
}
