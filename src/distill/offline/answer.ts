// An answer → what the agent did, and the outcome, in the words of the answer.
import { joinSentences, sentencesOf } from '../../language/gist.ts';
import { capital } from './say.ts';

const didIt =
  /^(?:(?:i|we)(?:'ve| have)?(?: successfully| now| also)? |successfully |now )?(?:added|fixed|created|updated|removed|renamed|moved|ported|implemented|replaced|changed|refactored|rewrote|wrote|converted|migrated|committed|pushed|merged|rebased|switched|restored|made|set up|simplified|split|extracted|installed|configured|improved|deleted|resolved|completed|modernized|modernised|built|cleaned up|disabled|enabled)(?![-\w])/i;
const isPlan =
  /:$|^(?:let me|now (?:let|i|we|run|update)|next|i'?ll|i will|i need|i should|i can|i see|i want|hmm|wait|ah+|oh|aha|good|great|perfect|excellent|done|you(?:'re| are) (?:absolutely )?right|here(?:'s| is| are)|try|want me|should i|would you|ready)\b/i;

/** The first sentence in which an answer says what it did. */
export function achieved(answer: string): string {
  const told = sentencesOf(answer)
    .slice(0, 14)
    .find(({ text }) => didIt.test(text) && text.length >= 25 && text.length <= 220);
  if (told === undefined) return '';
  const plain = told.text.replace(/^(?:(?:i|we)(?:'ve| have)?(?: successfully| now| also)? |successfully |now )/i, '');
  return capital(plain)
    .replace(/[\s.:!]+$/, '')
    .replace(/\s(?:including|that (?:covers?|will|now|includes?)|with|by|to|as follows|the following(?: \w+)?)$/, '');
}

/** Half of a quotation could mean anything, so it does not count as a sentence. */
const isWhole = (text: string): boolean => !/^["“]/.test(text) && text.split('"').length % 2 === 1;

/** The outcome, in the words of the answer; empty if the answer contains only plans. */
export function outcomeIn(answer: string, max: number): string {
  const telling = sentencesOf(answer.replace(/<\/?[a-z][\w-]*>/gi, ' '))
    .map(({ text }) => text)
    .filter((text) => text.length >= 20 && !isPlan.test(text) && isWhole(text));
  return telling.length === 0 ? '' : joinSentences(telling.slice(0, 6), max);
}
