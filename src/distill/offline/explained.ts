// How things work, as an agent explained it to the person: in its last answers, and on the way to them.

import { type Sentence, sentencesOf } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import type { Turn } from '../material.ts';
import { describes, describesKnown, hasVerb, namesIn, statesChange, weighClaim, withPoint } from './claim.ts';
import { withoutLead } from './lead.ts';
import { tellsOfOthers } from './mended.ts';
import type { Reading } from './observe.ts';
import { isWellKnown, outsideIn } from './outside.ts';
import type { Insight } from './reasons.ts';
import { isRefuted } from './refuted.ts';
import { wordsOf } from './request.ts';
import { ended } from './say.ts';
import { answerSentences, entrySentences } from './sentences.ts';
import { typedText } from './typed-text.ts';

const mostClaims = 8;
const mostOfAnswer = 3;
const leastWeight = 4;
const shortestClause = 60;

/** Sections that tell of the work, or of what could be done. */
const ofTheWork =
  /\?|\b(?:skipp\w+|recommend\w*|suggest\w*|chang(?:es?|ed)|files?|summary|verdict|fix(?:es|ed)?|issues?|missing|next|options?|to-?dos?|tests?|verif\w+|validat\w+|review\w*|nits?|minor|concerns?|trade-?offs?|plan|proposal|steps?|commit\w*|might|i|i'd)\b/i;
/** A line of a file moves, and a label belongs to a list, unless it names something of the code. */
const position = /:\d{2,}|\blines? \d/;
const label = /^.{0,25} [—–-] |^[^.]{1,60}: |\bwe\b/i;
const nameBefore = /^`[^`]{3,40}`: (?=\S)/;
const isLoose = (text: string): boolean =>
  position.test(text) || label.test(text.replace(nameBefore, '').replace(/`[^`]*`/g, 'x'));

/** A sentence may also begin with code in lower case. */
const beforeCode = (text: string): string[] => text.split(/(?<=[\w)`]\.)(?<!\b(?:e\.g|i\.e|etc|vs|cf)\.) +(?=`)/);

/** The speaker announces what counts. */
const summed =
  /^(?:(?:the|in|a) )?(?:one-sentence version|short(?: answer| version)?|tl;?dr|bottom line|key (?:point|insight))\s*(?::|—)\s+/i;
/** `(push.go:238)`, also after a name: where it stands today. */
const reference = / \(`?[\w./-]+:\d+(?:-\d+)?`?\)|, `?[\w./-]+:\d+(?:-\d+)?`?(?=\))/g;

/** Code or a list follows, and with it the point. */
const dangling = /\b(?:and|or|so|but|since|because|when|if|that|the|an?|to|with|like|as|of|for|in|on|is|are|by|from)$/i;

/** What someone is doing. */
const gerund = /^(?!(?:String|Nothing|Anything|Everything|Something|During)\b)[A-Z][a-z]+ing\b/;

interface Told {
  readonly text: string;
  readonly isSummed: boolean;
  readonly isCause: boolean;
  readonly heading: string;
}

function told(said: string, heading: string): Told {
  // What follows the colon is a list or code, which shows the change.
  const text = said
    .replaceAll('’', "'")
    .replace(/^But (?=\S)/, '')
    .replace(reference, '')
    .replace(/: [\w./-]+\.\w{1,4}\.?$/, '.')
    .replace(/:$/, '.');
  const opened = withoutLead(text.replace(summed, ''));
  // A list item may be a sentence without a full stop.
  const isItem = !/[.!?]["')\]]*$/.test(opened.text);
  const isPart = (isItem && !hasVerb(opened.text)) || dangling.test(opened.text.replace(/[.:]$/, ''));
  const whole = isPart || gerund.test(opened.text) ? '' : ended(opened.text);
  return { ...opened, text: whole, isSummed: summed.test(text), heading };
}

function weightOf(text: string): number {
  if (statesChange(text) || describesKnown(text)) return leastWeight;
  if (namesIn(text).length + outsideIn(text.replace(/`[^`]*`/g, 'x')).length < 2) return 0;
  const weight = weighClaim(text);
  return weight > 0 && describes(text) ? weight + 1 : weight;
}

/** How something works, rather than what was done or is to be done. */
const inquires =
  /^(?:(?:ok(?:ay)?|so|and|but|hm+|also|wait|question)[,:. ]+)*(?:how|why|what|when|where|which|who|does|do|did|is|are|has|have|isn't|aren't|doesn't|(?:can|could|would|will|should) (?!you\b)|explain|(?:can you |could you |please )*(?:explain|tell me|help me understand|(?:search|check|find out|look up|look|see|verify|confirm|investigate|research) (?:if|whether|how|what|why|which)))\b/i;
const longestQuestion = 700;

/** The words of a question about how things are, if the turn only answered it. */
function askedIn({ turn, deeds }: Reading): ReadonlySet<string> | undefined {
  const text = turn.request?.text ?? '';
  if (deeds.modified.length > 0 || text === '' || text.length > longestQuestion) return undefined;
  const questions = sentencesOf(typedText(text)).filter((one) => inquires.test(one.text) || one.text.endsWith('?'));
  return questions.length === 0 ? undefined : new Set(questions.flatMap((one) => wordsOf(one.text)));
}

const opening = 3;

/** What a sentence weighs as the answer to a question: one that takes up its words, or opens the answer, needs less. */
function weightAsAnswer(text: string, place: number, asked: ReadonlySet<string>): number {
  const weight = weighClaim(text);
  const related = wordsOf(text).filter((word) => asked.has(word)).length;
  if (related === 0 && place >= opening) return 0;
  if (weight > 0) return weight + Math.min(related, 2);
  // Without a limit or a reason, it must say what something is or does.
  return related > 0 && describes(text) ? leastWeight : 0;
}

interface Marks {
  /** The speaker calls it the cause of what went wrong. */
  readonly isCause?: boolean;
}

interface Claim extends Insight, Marks {
  readonly weight: number;
}

export type Holds = (claim: Insight, marks?: Marks) => boolean;

/** Parts of a sentence that may stand alone: `Yes, the volume stays — GitHub fires one event for each ref`. */
const clauses = / [—–] |; |, (?:but|so|because|since) /;

/** The sentence, or if that does not weigh enough, the weightiest of its clauses. */
function weighed(one: Told, weigh: (text: string) => number): { readonly text: string; readonly weight: number } {
  const whole = { text: one.text, weight: isLoose(one.text) ? 0 : weigh(one.text) };
  if (whole.weight >= leastWeight || one.isCause) return whole;
  const parts = one.text.split(clauses).map((part) => ended(withoutLead(part).text));
  return parts
    .filter((part) => parts.length > 1 && part.length >= shortestClause && isSentence(part))
    .map((part) => ({ text: part, weight: weigh(part) }))
    .reduce((best, part) => (part.weight > best.weight ? part : best), whole);
}

/** Whether a clause says by itself what something is or does. */
const isSentence = (part: string): boolean =>
  (describes(part) || describesKnown(part)) && !isLoose(part) && !gerund.test(part) && !leans.test(part);
const leans =
  /^(?:for example|e\.g|since|because|when|while|if|as|like)\b|\b(?:may|either|too|though|over|itself)\.$|\bmay not\b/i;

/** The sentences of a text that weigh enough. */
function claimsOf(sentences: readonly Sentence[], at: string, weigh: (text: string, place: number) => number): Claim[] {
  return sentences
    .flatMap((sentence) => beforeCode(sentence.text).map((one) => told(one, sentence.heading)))
    .map((one, i, all) => ({ ...one, place: i, next: all[i + 1]?.heading === one.heading ? all[i + 1]?.text : '' }))
    .filter((one) => one.text !== '' && !shown.test(one.text) && (one.isSummed || !ofTheWork.test(one.heading)))
    .map((one) => {
      const { text: said, weight } = weighed(one, (part) => weigh(part, one.place));
      const next = said === one.text && !isLoose(one.next ?? '') ? (one.next ?? '') : '';
      return {
        ...{ text: withPoint(said, next), at, about: '', isCause: one.isCause },
        weight: weight + (one.isSummed && weight > 0 ? 1 : 0),
      };
    })
    .filter(({ weight }) => weight >= leastWeight);
}

/** The weightiest that hold, in their order: so many of each part, and so many of all. */
function best(parts: readonly (readonly Claim[])[], ofPart: number, ofAll: number, holds: Holds): Insight[] {
  const chosen = parts.flatMap((part) =>
    [...part]
      .sort((a, b) => b.weight - a.weight)
      .filter((one) => holds(one, one))
      .slice(0, ofPart),
  );
  const kept = new Set([...chosen].sort((a, b) => b.weight - a.weight).slice(0, ofAll));
  return parts.flat().flatMap((one) => (kept.has(one) ? [{ text: one.text, at: one.at, about: '' }] : []));
}

/** What the machine shows at the moment. */
const shown =
  /\b(?:shows? (?:no\b|`)|untracked|uncommitted|stash(?:es|ed)?|working tree|occurrences|not being \w+ed|called (?:once|twice))|\bhere\.$|`(?:bg|text|border|p[xy])-\w/i;
/** Whether tools or other turns met something that the text names. Otherwise it may be what anyone knows of a language or a service. */
const isOfWork = (text: string, turns: readonly Turn[], told: Turn): boolean => {
  const names = namesIn(text).flatMap((name) => name.match(/[\w.-]{6,}/g) ?? []);
  const isNamed = (one: string): boolean => names.some((name) => one.includes(name));
  return turns.some(
    (turn) =>
      turn.toolUses.some(({ input, output = '' }) => isNamed(input) || isNamed(output)) ||
      (turn !== told && turn.entries.some((entry) => isNamed(entry.text))),
  );
};

const hasCode = /`[^`\n]{3,}`/;

/**
 * Sentences of last answers that say how something works, with at least two names, or what holds from then on, and the answers to questions
 * of the person. The person did not object to them, and they still hold at the end.
 */
export function claimsIn(turns: readonly Turn[], readings: readonly Reading[], holds: Holds): Insight[] {
  const parts = readings.map((reading) => {
    const { turn, answer } = reading;
    const asked = askedIn(reading);
    if ((asked === undefined && !hasCode.test(answer)) || isRefuted(turns, turn)) return [];
    const claims = claimsOf(answerSentences(reading), turn.endedAt, (text, place) =>
      Math.max(weightOf(text), asked === undefined ? 0 : weightAsAnswer(text, place, asked)),
    );
    return turn.toolUses.length > 0 ? claims : claims.filter(({ text }) => isOfWork(text, turns, turn));
  });
  return best(parts, mostOfAnswer, mostClaims, holds);
}

const mostRemarks = 3;
/** How things are at the moment, or what is to be mended. */
const state =
  /\b(?:stale|unused|is(?:n't| not) set|dirty|up to date|not installed|outdated|missing|missed|modified|worktrees?|checkouts?)\b|\bisn't \w+ing\b/i;

/**
 * The same from what the agent said during the work: how things outside of the project behave, and how the project works if the turn left it
 * as it was.
 */
export function remarksIn(turns: readonly Turn[], readings: readonly Reading[], holds: Holds): Insight[] {
  const parts = readings.map(({ turn, answer, deeds }) => {
    const isLeft = deeds.modified.length === 0;
    const texts = turn.entries.filter(
      (entry) =>
        isAnswer(entry) && hasCode.test(entry.text) && entry.text !== answer && (isLeft || isWellKnown(entry.text)),
    );
    if (texts.length === 0 || isRefuted(turns, turn)) return [];
    return texts
      .flatMap((entry) => claimsOf(entrySentences(entry), entry.at, weightOf))
      .filter(({ text }) => !state.test(text) && (isLeft || tellsOfOthers(text)));
  });
  return best(parts, 1, mostRemarks, holds);
}
