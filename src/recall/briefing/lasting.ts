// Which statements of the memory still say something in a briefing: understood without their conversation, and not overtaken by the work.

import { stemmer } from 'stemmer';
import { isDated } from '../../distill/offline/claim.ts';
import { tellsFault } from '../../distill/offline/mended.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import type { Choice } from '../../schema/choice.ts';
import { coreOf, type StatementForm } from '../../schema/statement-form.ts';
import { isTrivial } from './worth-telling.ts';

const pointsAtWork =
  /\b(?:this|that|the current) (?:change|fix|pr|pull request|task|plan|session|step|commit|approach|issue)\b|\bthe [\w -]{2,40} case\b/i;
const hasSubject = /^[^?:]{8,}: \p{Lu}/u;
const consents = /^(?:yes|yeah|yep|no|nope|ok(?:ay)?|sure)(?:[\s,.;!—–-]+(?=\W|$)|[,.;!—–-]\s*|$)/i;

const ofGeneral = /\b(?:always|never|must|should|only|prefer|don['’]t|do not|no longer|instead)\b/i;

/** Whether a statement by the person is understood without its conversation. */
export function standsAlone(text: string, form: StatementForm | undefined): boolean {
  const said = coreOf(text, form);
  return form !== 'remark' || (ofGeneral.test(said) && !/\b(?:gtg|lgtm)\b/i.test(said));
}

/** Whether a choice is understood without the question's conversation. */
export function choiceStandsAlone({ question, answer }: Choice): boolean {
  const isBare = consents.test(answer) && tellingIn(answer.replace(consents, '')).length < 2;
  if (isBare || repeatsSubject(subjectOf(question), answer)) return false;
  const isOpen = asksAboutWork.test(question.slice(subjectOf(question).length));
  return (
    (hasSubject.test(question) && (!isOpen || tellingIn(answer).length >= fewestTelling)) ||
    !(isOpen || pointsAtWork.test(question))
  );
}

/** `Which direction should the fix take?` says nothing beside its subject. */
const asksAboutWork =
  /\b(?:the|this|that) (?:fix|change|direction|approach|solution|refactor\w*|migration|implementation)\b|^(?:which|what) (?:direction|approach|option|fix|way|variant)\b/i;
const fewestTelling = 2;

/** A question about the work at hand gives way to its subject, since the answer says what was settled. */
export function withoutAnaphor(choice: Choice): Choice {
  const subject = subjectOf(choice.question);
  const isOpen = subject !== '' && asksAboutWork.test(choice.question.slice(subject.length));
  return isOpen ? { ...choice, question: subject.replace(/:\s*$/, '') } : choice;
}

/** The subject that stands before a question, with its colon; empty if there is none. */
export const subjectOf = (question: string): string => /^[^?:]{8,110}: (?=\p{Lu})/u.exec(question)?.[0] ?? '';

/** Whether an answer only repeats what the work was about. */
function repeatsSubject(subject: string, answer: string): boolean {
  const named = new Set(tellingIn(subject).map(stemmer));
  const said = tellingIn(answer.replace(/ \([^()]*\)\.?$/, '')).map(stemmer);
  const news = said.filter((word) => !named.has(word)).length;
  return news < 2 && news * 2 < said.length;
}

const tellingIn = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_-]{3,}/gu) ?? []).filter(isTellingWord);

/** Splits after the end of a sentence, but not within code. */
export function sentencesIn(text: string): string[] {
  const sentences: string[] = [];
  let isOpen = false;
  for (const piece of text.split(/(?<=[.!?][)”`"]?) +(?=[\p{Lu}`“"])/u)) {
    if (isOpen) sentences.push(`${sentences.pop()} ${piece}`);
    else sentences.push(piece);
    isOpen = isOpen !== (piece.split('`').length % 2 === 0);
  }
  return sentences;
}

/** The sentences of an insight that still hold; empty if the work overtook it. */
export function lastingInsight(text: string): string {
  const lasting = sentencesIn(text).filter((sentence) => !isDated(sentence));
  const rest = lasting.join(' ');
  return isTrivial(rest) || tellsFault(rest) ? '' : rest;
}

const before =
  /\b(?:previously|used to|had never|fell back|failed|hard-failed|broke|(?:was|were) (?:dropped|lost|missing|ignored))\b/i;

/** A fact without the sentences about how things were before; empty if it is about looks. */
export function lastingFact(text: string): string {
  if (isTrivial(text)) return '';
  const [first = text, ...rest] = sentencesIn(text);
  return [first, ...rest.filter((sentence) => !before.test(sentence))].join(' ');
}
