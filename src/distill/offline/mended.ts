// Faults that a session mended. What it says about the project's own code no longer holds.

import { sentencesOf } from '../../language/gist.ts';
import { isOutside, isWellKnown } from './outside.ts';
import { ended } from './say.ts';

const clausesOf = (sentence: string): string[] =>
  sentence
    .replaceAll('`', '')
    .split(/\b(?:because|since|but|so|which means)\s|(?::|—|–|,|;)\s/)
    .map((clause) => clause.trim().replace(/^(?:the|when|if|only|even|that|and|both|some|most|all)\s+/i, ''));

/** The subject of a clause stands within its first words. */
const isAboutWellKnown = (clause: string): boolean => isWellKnown(clause.split(/\s+/).slice(0, 3).join(' '));
const isAboutOutside = (clause: string): boolean =>
  isAboutWellKnown(clause) || isOutside(clause.split(/\s+/, 1)[0] ?? '');

/** Whether a text says how a service, protocol or tool behaves that the project cannot change. */
export const tellsOfOthers = (text: string): boolean =>
  sentencesOf(text).some((sentence) => clausesOf(sentence.text).some(isAboutWellKnown));

/** What something demands holds after a mend too. */
const demands = /\b(?:must|requires?|only works|not support(?:ed)?|n't support|known (?:bug|issue|limitation)s?)\b/i;

/** Whether a cause is about something outside of the project, or a demand, and so holds after the mend. */
export const outlastsMend = (cause: string): boolean =>
  demands.test(cause) || sentencesOf(cause).some(({ text }) => clausesOf(text).some(isAboutOutside));

/** The cause after the title of the plan or commit that mended it. Undefined if it no longer holds: the history of the code tells it. */
export const causeAfter = (title: string, cause: string): string | undefined =>
  outlastsMend(cause) ? `${ended(title)} ${cause}` : undefined;

/** A cause that was found in order to mend it, or how things were before. */
const cause =
  /^fix(?:e[sd])?\b|\broot cause\b|\b(?:was|were) caused by\b|\bhappen(?:s|ed) because\b|\bpreviously\b|\bfailed silently\b|\bnever (?:set|called|\w+ed)\b|\b(?:was|were)(?:n['’]t| not| never| just never)\b|\bdid(?:n['’]t| not)\b|\bthe (?:bug|issue|problem|culprit|failure|error) (?:is|was|came|lies)\b/i;
/** What code does wrong. */
const malfunctions =
  /\b(?:impossible|forever|infinite loop|crash(?:es|ed)?|silently|dangling|throws|broken|leaks|breaks|falls through)\b/i;

/** Whether a text tells only of a fault of the project's own code: it holds until the fault is mended, if it is not yet. */
export const tellsFault = (text: string): boolean =>
  (cause.test(text) || malfunctions.test(text)) && !outlastsMend(text);
