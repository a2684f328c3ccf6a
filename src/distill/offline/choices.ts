// A person's choices: answers in a form, or an option of the previous answer by its letter or number.

import { cut, inOneLine, sentencesOf } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Turn } from '../material.ts';
import { identifier } from './request.ts';

export interface Choice {
  readonly question: string;
  readonly answer: string;
  readonly entry: string;
  readonly at: string;
}

/** How a statement tells a choice. `choiceIn` reads it again. */
export const choiceText = ({ question, answer }: Pick<Choice, 'question' | 'answer'>): string =>
  `Asked “${question}”, the person chose: ${answer}`;

/** The parts of a statement that tells a choice. Joined, they are the statement. */
export interface ChoiceParts {
  /** Up to the question, with the key of the statement if the page shows it. */
  readonly before: string;
  readonly question: string;
  /** From the end of the question, with the answer. */
  readonly after: string;
}

/** Undefined if the statement tells something else. */
export function choiceIn(statement: string): ChoiceParts | undefined {
  const [, before, question, after] =
    /^((?:[^“”]{0,60}: )?Asked “)(.+)(”, the person chose: .+)$/s.exec(statement) ?? [];
  return before === undefined || question === undefined || after === undefined
    ? undefined
    : { before, question, after };
}

/** Answers to questions that the agent asked in a form. One text may hold several pairs of question and answer. */
export function choicesIn(turn: Turn): Choice[] {
  return turn.entries.filter(({ form }) => form === 'choice').flatMap(choicesOf);
}

function choicesOf({ text, id, at }: Entry): Choice[] {
  return text.split(/\n\n(?=[^\n]+\n→ )/).flatMap((block) => {
    const [question = '', ...rest] = block.split(/\n→ /);
    const answer = rest.join(' ').trim();
    return question.trim() === '' || answer === ''
      ? []
      : [{ question: inOneLine(question), answer: plainAnswer(answer), entry: id, at }];
  });
}

/** Removes `(recommended)` and the letter of the option. */
const plainAnswer = (answer: string): string =>
  inOneLine(answer)
    .replace(/\s*\(recommended\)/gi, '')
    .replace(/^option [a-z\d]\s*[:—–-]\s*/i, '');

const named =
  /^(?:(?:ok(?:ay)?|yes|yeah|sure|great|cool|hm+|i (?:like|prefer|think|want|choose|vote for)|let'?s (?:do|go with|use|take)|go (?:with|for)|do|use|take|prefer)\W+)*(?:option |approach |variant |choice |number |#)?([A-Ha-h]|\d{1,2})(?:\b[.,!)]?)(?:\s+please|\s+sounds good|\s+it is)?\s*$/i;

/** For `Option C` or `2`: the text of that option in the previous answer, with its question. Undefined if either is not found. */
export function namedOption(request: Entry, before: readonly Entry[]): Choice | undefined {
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

/** Questions about the next step of the work rather than about how things are. */
const ofTheMoment =
  /\b(?:proceed|go ahead|continue|commit|push|merge|rebase|deliver|next|now|look right|sounds? good|happy with|should i\b|shall i|can i|may i|do you want me to|would you like me to|want me|did you mean|do you (?:have|believe|see|know))\b|^\w+ (?:\w+ )?(?:did|was|were)\b/i;
/** Nouns that only the work at hand explains. */
const ofTheWork =
  /\b(?:the|this|that) (?:fix|change|changes|feature|approach|implementation|bug|issue|problem|task|plan|refactor\w*|migration|pr|work)\b|^which (?:fix|direction|approach|variant)\b/i;

/** The question with the subject of the conversation, if it makes no sense without it. */
export const withSubject = (choice: Choice, subject: string): Choice =>
  subject === '' || !ofTheWork.test(choice.question)
    ? choice
    : { ...choice, question: `${subject}: ${choice.question}` };

const noAnswer =
  /\?\s*$|^(?:yes|no|ok(?:ay)?|sure|everything|all|none|both|other|hm+|not sure|i don'?t know|you (?:decide|choose)|whatever|skip|cancel|chat about this)\b.{0,14}$|^(?:hm+|ok|well|but)[,. ]|https?:\/\//i;

const tellingIn = (text: string): number =>
  (text.toLowerCase().match(/\p{L}[\p{L}\p{N}_.-]{2,}/gu) ?? []).filter(isTellingWord).length;
const pointsBack =
  /\b(?:this|that|these|those|it|them)\b(?!\s+(?:\w+\s+){0,2}(?:command|flag|function|field|file|package|type|case|mode|repo|project|fix|change|feature)\b)/i;

/** Whether question and answer make sense without context and stay valid. The chosen option must name something or say enough. */
export const isLasting = ({ question, answer }: Choice): boolean =>
  question.endsWith('?') &&
  question.length <= 300 &&
  answer.length <= 240 &&
  tellingIn(question) >= (ofTheWork.test(question) || identifier.test(answer) ? 2 : 3) &&
  (answer.split(' ').length >= 2 || /[-_./]/.test(answer)) &&
  !ofTheMoment.test(question) &&
  !noAnswer.test(answer.replace(/ \([^()]*\)$/, '')) &&
  !pointsBack.test(question.replace(/\b(?:so|such|fact) that\b/gi, ''));
