// Finds sentences that a person would want to find again: decisions and findings. Patterns recognize them; they are quoted word for word.

import { sentencesOf } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Turn } from '../material.ts';
import { isDated, isWhole, namesIn, withPoint } from './claim.ts';
import { planOf } from './plan.ts';
import { anaphor, inPieces } from './request.ts';
import { capital, ended } from './say.ts';
import { entrySentences } from './sentences.ts';
import { toolIn } from './stack.ts';
import { typedText } from './typed-text.ts';

export interface Said {
  readonly text: string;
  readonly entry: string;
  readonly at: string;
}

/** Reads only the last answers of a turn. Of a long answer, `sentencesOf` reads only both ends. */
const mostAnswers = 40;
const shortest = 25;
const longestPrompt = 700;
const longest = 320;
const longestPair = 420;

/** Patterns of a choice that the person states outright. */
const chosen = [
  /\b(?:let'?s|let us|we(?:'ll| will| should|'re going to)|i(?:'ll| will| want (?:us |you )?to| think we (?:should|want to)|'d rather)) (?:\w+ )?(?:use|go with|switch to|stick (?:with|to)|keep|move to|drop)\b(?! (?:something|it|that|this)\b)(?=.{3,})/i,
  /^(?:(?:ok(?:ay)?|no|yes|actually|please|also)\W+)?(?:always |please )?(?:use|make|keep|put|prefer|let'?s (?:use|make|keep|put|do))\b.*\b(?:instead of|rather than)\b/i,
  /\b(?:we|i)(?:'ve| have)? (?:decided|agreed|settled|chose|opted|concluded)\b/i,
  /\b(?:must|should) (?:never|always)\b(?! happen)/i,
];
/** Too weak for a decision: `let's do that`, `instead of fixing, could you explain?` */
const unchosen =
  /\?\s*$|^(?:why|how|what|would|could|do you|did|does|is|are)\b|\blet'?s (?:do|keep) (?:it|that|this)\b/i;

/** A choice that the agent reports. */
const stated =
  /^(?:decision|we(?:'ve| have)? decided|i(?:'ve| have)? decided|the decision (?:is|was)|(?:decided|chose|opted) (?:to|for|on)|agreed(?: (?:to|on|that))?:?)\b|\b(?:was|were) chosen (?:because|over|since)\b/i;

/** Patterns of a finding that is stated as certain, with their points. */
const understood: readonly (readonly [RegExp, number])[] = [
  [/\broot cause\b/i, 4],
  [/\b(?:it )?turns? out\b|\bturned out\b/i, 4],
  [
    /\bthe (?:actual |real |main |underlying |core )?(?:issue|problem|bug|reason|cause|culprit|trick|key|catch|difference)(?: here)? (?:is|was)(?: that)?\b/i,
    3,
  ],
  [/\b(?:was|were|is|are) (?:caused by|due to)\b|\bbecause of\b/i, 3],
  [
    /\b(?:i|we)(?:'ve| have)? (?:found|discovered|learned|learnt|realized|realised|identified) (?:that|out|the (?:issue|problem|bug|cause|reason))\b/i,
    3,
  ],
  [
    /\b(?:fails?|failed|failing|breaks?|broke|crash\w*|hangs?|happens?|happened|works?|worked|didn'?t work|doesn'?t work) (?:\w+ ){0,3}because\b/i,
    3,
  ],
  [/\bthis (?:is|was) (?:why|because)\b|\bthat(?:'s| is) why\b|\bwhich (?:explains|means|causes)\b/i, 2],
  [
    /\b(?:has|have) a known (?:bug|issue|limitation)\b|\b(?:is|are) not supported\b|\bdoes(?:n't| not) support\b|\bonly works (?:when|if|with|in)\b/i,
    2,
  ],
];
/** Plans, offers and guesses are not findings. */
const uncertain =
  /\?\s*$|:\s*$|^(?:actually|looking at|the (?:sed|grep|edit|search|command)\b|let me|now(?! (?:i|we) (?:see|understand|know) (?:the|why|that)\b)|next|i'?ll|i will|i should|i need|i can|we can|we could|you can|to fix|first|then|if|maybe|perhaps|could|should|would|i see|see if|try|look|check|hmm|wait|ah|oh)\b|\b(?:might|maybe|perhaps|probably|likely|i think|i guess|i bet|seems?|could be|may be|not sure|let me|i'll|should i|want me|would you)\b/i;

/** A cheap test, so that most answers need not be split into sentences. */
const worthALook =
  /root cause|turn(?:s|ed) out|issue|problem|\bbug\b|reason|cause|culprit|because|due to|found|discovered|learned|realized|realised|identified|that(?:'s| is) why|known|not supported|doesn't support|does not support|only works|decision|decided|chose|agreed|opted/i;

export interface Finding extends Said {
  /** Higher for clearer marks, and for the last answer, which comes after the work. */
  readonly weight: number;
}

/** Findings with at least this weight count as certain. Findings on the way are often wrong; clear ones, or those after the work, less so. */
export const certain = 4;

export function decisionsOf(turn: Turn): Said[] {
  const found: Said[] = [];
  // A long prompt is usually a plan or a pasted review: the words of other people or of a model.
  if (turn.request !== undefined && turn.request.text.length <= longestPrompt && planOf(turn) === undefined) {
    // Later sentences of a long prompt are more often pasted than typed.
    const typed = sentencesOf(typedText(turn.request.text)).slice(0, 10);
    for (const text of typed.flatMap((sentence) => inPieces(sentence.text)))
      if (fits(text) && !unchosen.test(text) && chosen.some((pattern) => pattern.test(text)) && isDecision(text))
        found.push(said(text, turn.request));
  }
  for (const { text, entry } of answerSentences(turn))
    if (fits(text) && stated.test(text) && !/\?\s*$|:\s*$/.test(text)) found.push(said(text, entry));
  return distinct(found);
}

/** A decision names something or says outright that it is decided, and makes sense without context. Other remarks are not decisions. */
const isDecision = (text: string): boolean =>
  !anaphor.test(text) &&
  !/^(?:but|if|because|while|although)\b|\b(?:might|maybe|perhaps|keep in mind|before each|for now|this time)\b/i.test(
    text,
  ) &&
  (/`[^`]{2,}`/.test(text) ||
    toolIn(text) !== undefined ||
    /\b(?:decided|agreed|settled)\b|\b(?:must|should) (?:never|always)\b/i.test(text));

/** The highest weight first. */
export function findingsOf(turn: Turn): Finding[] {
  const found: Finding[] = [];
  const last = turn.entries.findLast((entry) => isAnswer(entry) && entry.text.trim() !== '');
  for (const sentence of answerSentences(turn)) {
    const { text, entry } = sentence;
    if (!fits(text) || text.length < 40 || uncertain.test(text)) continue;
    const marked = understood.reduce((sum, [pattern, points]) => sum + (pattern.test(text) ? points : 0), 0);
    if (marked >= 3)
      found.push({ ...said(withMechanism(sentence), entry), weight: marked + (entry === last ? 1.5 : 0) });
  }
  return distinct(found.sort((a, b) => b.weight - a.weight));
}

interface AnswerSentence {
  readonly text: string;
  /** The sentence after it in the same answer; empty at the end. */
  readonly next: string;
  readonly entry: Entry;
}

function answerSentences(turn: Turn): AnswerSentence[] {
  const answers = turn.entries.filter((entry) => isAnswer(entry) && worthALook.test(entry.text));
  return answers.slice(-mostAnswers).flatMap((entry) => {
    const sentences = entrySentences(entry);
    return sentences.map(({ text }, i) => ({ text, next: sentences[i + 1]?.text ?? '', entry }));
  });
}

/** A cause often takes two sentences: what is wrong, and how it comes about. */
const withMechanism = ({ text, next }: AnswerSentence): string =>
  text.length + next.length < longestPair &&
  isWhole(next) &&
  namesIn(next).length > 0 &&
  !uncertain.test(next) &&
  !ofTheWork.test(next)
    ? `${ended(text)} ${next}`
    : withPoint(ended(text), next);
/** What the agent did or will do about it. */
const ofTheWork =
  /^(?:i|we|you|fixed|pushed|added|updated|changed|the fix|verified|verification|fix)\b|\b(?:i've|i have|tests?)\b/i;

const fits = (text: string): boolean =>
  text.length >= shortest &&
  text.length <= longest &&
  !/^["“]/.test(text) &&
  /\s\S+\s/.test(text) &&
  !/[{}]|=>|\|\s|https?:/.test(text);

const said = (text: string, { id, at }: Pick<Entry, 'id' | 'at'>): Said => ({
  text: capital(text.replace(/[\s,;:]+$/, '')),
  entry: id,
  at,
});

function distinct<T extends Said>(all: readonly T[]): T[] {
  const seen = new Set<string>();
  return all.filter(({ text }) => {
    const key = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
    return !seen.has(key) && seen.add(key);
  });
}

/** The sentence itself states a cause or a limit. Merely mentioning that there is a cause does not count. */
const statesCause =
  /^\W*(?:now (?:i|we) (?:see|understand|know) )?(?:the )?(?:actual |real |main |underlying |key )?(?:root cause|issue|problem|bug|culprit|reason)\b[^.]{0,70}?(?:\bis\b|\bwas\b|:|—|–)|\b(?:it )?turns? out\b|\bturned out that\b|\b(?:was|is|were|are) (?:caused by|due to)\b|\b(?:fails?|failed|breaks?|broke|happens?|happened|crash\w*) because\b|\bknown (?:bug|issue|limitation)\b|\bonly works (?:when|if|with|in)\b|\bdoes(?:n't| not) (?:persist|support)\b/i;
const guesses =
  /\b(?:speculation|most often|recommended|follow-up|write-?up|describing|haven't|have not|hypothesis|next step|or)\W*$|^(?:no|asserts|body|post|pr #?\d*|still|recommended|speculation|incremental)\b|\b(?:speculat\w+|i haven't|hypothesis)\b/i;

/** What a linter or formatter wants says nothing about the program. */
const ofTools =
  /\b(?:lint(?:er|ing)?|format(?:ter|ting))\b.{0,40}\b(?:fail\w*|want\w*|complain\w*|report\w*|error\w*|flag\w*)\b/i;

/** True for a stated cause with two names from the code, or with one and enough text about it. Other sentences only say that something was found. */
export function isTelling(text: string): boolean {
  if (!statesCause.test(text) || guesses.test(text) || ofTools.test(text) || isDated(text)) return false;
  if (
    /\b(?:found|fixed|completed?|documented|address(?:es|ed)|identified|confirmed|understand|see|know) (?:and \w+ )?(?:the |its |your )?(?:root cause|issue|problem|bug)\b(?![^.]*(?:[:—–]|\bthat\b|\bwas\b|\bis\b).{30})/i.test(
      text,
    )
  )
    return false;
  if (
    /^(?:same|pushed|opened|committed|added|updated|replied|posted|summary|the reason (?:we|i) )\b|\bas before\b|^(?:this|that|it(?! turn)|these|those)\b/i.test(
      text,
    )
  )
    return false;
  if (/^the (?:root cause|issue|problem|bug|fix) is in \S+\.?$/i.test(text)) return false;
  const names = namesIn(text).length;
  return names >= 2 || (names === 1 && text.split(/\s+/).length >= 14);
}

/** Without what differs between spellings of a name: `Tide CLI` and `tide-cli`. */
const folded = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** Whether two texts are about the same things. */
export function sharesNames(a: string, b: string): boolean {
  const [first, second] = [folded(a), folded(b)];
  const names = new Set(namesIn(a).map(folded));
  const all = [...new Set([...names, ...namesIn(b).map(folded)])];
  const shared = all.filter((name) => name.trim() !== '' && first.includes(name) && second.includes(name)).length;
  return shared >= 2 && shared >= names.size / 2;
}
