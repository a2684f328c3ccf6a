// A person's choices: answers in a form, or an option of the previous answer by its letter or number.

import { stemmer } from 'stemmer';
import { cut, inOneLine, sentencesOf } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import { isEveryday, isTellingWord } from '../../language/stop-words.ts';
import { type Choice, choicesInReply } from '../../schema/choice.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Turn } from '../material.ts';
import { identifier } from './request.ts';

export interface FoundChoice extends Choice {
  readonly entry: string;
  readonly at: string;
}

/** Answers to questions that the agent asked in a form. One text may hold several pairs of question and answer. */
export function choicesIn(turn: Turn): FoundChoice[] {
  return turn.entries.filter(({ form }) => form === 'choice').flatMap(choicesOf);
}

const choicesOf = ({ text, id, at }: Entry): FoundChoice[] =>
  choicesInReply(text).map(({ question, answer }) => ({
    ...{ question: inOneLine(question), answer: plainAnswer(answer), entry: id, at },
  }));

/** Removes `(recommended)` and the letter of the option. */
const plainAnswer = (answer: string): string =>
  inOneLine(answer)
    .replace(/\s*\(recommended\)/gi, '')
    .replace(/^option [a-z\d]\s*[:—–-]\s*/i, '');

const named =
  /^(?:(?:ok(?:ay)?|yes|yeah|sure|great|cool|hm+|i (?:like|prefer|think|want|choose|vote for)|let'?s (?:do|go with|use|take)|go (?:with|for)|do|use|take|prefer)\W+)*(?:option |approach |variant |choice |number |#)?([A-Ha-h]|\d{1,2})(?:\b[.,!)]?)(?:\s+please|\s+sounds good|\s+it is)?\s*$/i;

/** For `Option C` or `2`: the text of that option in the previous answer, with its question. Undefined if either is not found. */
export function namedOption(request: Entry, before: readonly Entry[]): FoundChoice | undefined {
  const [first = ''] = request.text.trim().split('\n', 1);
  const name = first.length > 60 ? undefined : named.exec(first.trim())?.[1];
  const answer = before.findLast((entry) => isAnswer(entry) && entry.text.trim() !== '');
  if (name === undefined || answer === undefined || /^(?:a|i)$/.test(name)) return undefined;
  const text = answer.text;
  const said = /^\d+$/.test(name)
    ? new RegExp(`^\\s*(?:\\*\\*)?(?:option |approach )?${name}[.):]\\s*(?:\\*\\*)?\\s*(.{8,400})$`, 'im').exec(
        text,
      )?.[1]
    : (new RegExp(`\\b(?:option|approach|variant)\\s+${name}\\b\\W{0,6}(.{8,400})$`, 'im').exec(text)?.[1] ??
      new RegExp(`^\\s*(?:[-*]\\s+)?(?:\\*\\*)?\\(?${name}[.):]\\s*(?:\\*\\*)?\\s*(.{8,400})$`, 'im').exec(text)?.[1]);
  const question = sentencesOf(text).findLast((sentence) => sentence.text.endsWith('?'))?.text;
  if (said === undefined || question === undefined) return undefined;
  const option = cut(inOneLine(said.replaceAll('**', '')), 220);
  return { question, answer: option, entry: request.id, at: request.at };
}

/** Questions about the next step: the agent asks what it may do itself, or what happened. Others are about how things are. */
const ofTheMoment =
  /\b(?:i|me|my|proceed|go ahead|continue|next|now|look right|sounds? good|happy with|ready|did you|do you (?:have|believe|see|know|recall))\b|\bshould (?:we|it|they|this) (?:commit|push|merge|rebase|deliver|release)\b|^\w+ (?:\w+ )?(?:did|was|were)\b/i;
/** `Which cache do you want me to use for X?` is about how things are to be, if the answer names something of the code. */
const asksForWay = /^(?:which|what|how|where)\b/i;
const offers =
  /\b(?:do you want me to|would you like me to|should i|shall i) (?:address|handle|implement|keep|model|name|put|resolve|store|take|treat|use)\b/i;
const withoutOffer = ({ question, answer }: Choice): string =>
  asksForWay.test(question) && identifier.test(answer) ? question.replace(offers, 'is') : question;

/** Nouns that only the work at hand explains. */
const ofTheWork =
  /\b(?:this|that) (?:feature|implementation|task|plan|work|step|case)\b|\b(?:the|this|that) (?:fix|change|changes|approach|bug|issue|problem|refactor\w*|migration|pr)\b|\bcurrent\b|\bcase\b|^which (?:fix|direction|approach|variant)\b/i;

/** Whether the question says most of the subject itself. */
function repeats(question: string, subject: string): boolean {
  const words = new Set(tellingWords(question).map(stemmer));
  const all = tellingWords(subject)
    .filter((word) => !isEveryday(word))
    .map(stemmer);
  return all.filter((word) => words.has(word)).length * 2 > all.length;
}

/**
 * The choice for a reader who was not there: with the subject of the work before the question, unless the question
 * names something of the code or repeats the subject, and with the meaning of a `yes`. Undefined if the question needs a
 * subject that no one knows.
 */
export function withSubject(choice: Choice, subject: string): Choice | undefined {
  const told = { ...choice, answer: expanded(choice.answer) };
  const isOpen = ofTheWork.test(choice.question);
  if (subject === '' || /\?(?:\s|$)/.test(subject)) return isOpen ? undefined : told;
  if (!isOpen && (identifier.test(choice.question) || repeats(choice.question, subject))) return told;
  return { ...told, question: `${subject}: ${choice.question}` };
}

/** `Yes, properly (Probe before each push)` → `Yes: Probe before each push`. */
const expanded = (answer: string): string =>
  answer.replace(
    /^(yes|no)\b[^()]{0,60}\(([^()]{12,})\)[.]?$/i,
    (_, lead: string, meant: string) => `${lead}: ${meant}`,
  );

const noAnswer =
  /\?\s*$|^(?:yes|no|ok(?:ay)?|sure|everything|all|none|both|other|hm+|not sure|i don'?t know|you (?:decide|choose)|whatever|chat about this)\b.{0,14}$|^(?:skip|cancel)(?: (?:it|this|that|for now))?\W*$|^(?:hm+|ok|well|but)[,. ]|https?:\/\//i;

const tellingWords = (text: string): string[] =>
  (text.toLowerCase().match(/\p{L}[\p{L}\p{N}_.-]{2,}/gu) ?? []).filter(isTellingWord);
const tellingIn = (text: string): number => tellingWords(text).length;
/** `Yes, do it properly` says only that it is wanted. */
const agrees = /^(?:yes|no)\b[,.:;—–-]*/i;
/** A pronoun before anything that it could stand for. Later in the question it stands for what the question names. */
const pointsBack =
  /^(?:(?:and|so|but|for|in|with|on|should|would|do|does|is|are|can|how|what|where|which|when|why)\s+){0,3}(?:this|that|these|those|it|they|them)\b(?! (?:command|flag|function|field|file|package|type|case|mode|repo|project)\b)/i;
/** Names in code hold words such as `merge` that ask for nothing. */
const withoutNames = (text: string): string => text.replace(/`[^`]*`|\S*[/*_]\S*|\S+-\S+/g, 'x');

/** Whether question and answer make sense without context and stay valid. The chosen option must name something or say enough. */
export const isLasting = ({ question, answer }: Choice): boolean =>
  question.endsWith('?') &&
  question.length <= 300 &&
  answer.length <= 240 &&
  tellingIn(question) + tellingIn(answer) >= 4 &&
  tellingIn(question) >= 2 &&
  (answer.split(' ').length >= 2 || /[-_./]/.test(answer)) &&
  !ofTheMoment.test(withoutNames(withoutOffer({ question, answer }))) &&
  !noAnswer.test(answer.replace(/ \([^()]*\)$/, '')) &&
  (!agrees.test(answer) || tellingIn(answer.replace(agrees, '')) >= 2) &&
  !/\bI\b/.test(answer) &&
  !pointsBack.test(question);
