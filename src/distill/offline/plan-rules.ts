// Rules that an accepted plan states outside of its list of decisions: how something is to be from then on, for whom, and why that is safe.

import { cut, sentencesOf } from '../../language/gist.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import type { Turn } from '../material.ts';
import { isPast } from './claim.ts';
import { identifier } from './request.ts';
import { ended } from './say.ts';
import { standingPlans } from './standing-plans.ts';
import { keyOf } from './wishes.ts';

/** Sections that say what is wanted. Others list steps, files, checks, and what is wrong. */
const wantedIn =
  /^(?:\d+\. )?(?:(?:the|key|main|proposed|overall|expected|user|new) )*(?:context|background|goals?|motivation|summary|overview|changes?|approach|solution|fix|notes?|requirements?|rules?|behaviou?r|scope|semantics|important)\b(?!.*\bdecisions?\b)/i;
/** A norm, or the bounds within which something holds. */
const norm =
  /\bshould (?:not |only |never |always |also |clearly |automatically )*be\b|\bshould (?:not|only|never|always) \w+|\bmust\b|\bnever (?:be|edit|change|touch|use|show|write|add|run)\b|\bonly (?:in|for|when|if|on|to|applies|available)\b|\b(?:available|applies|relevant|shown|visible) only\b|\bbelongs? in\b|\busers expect\b|\bsafe because\b|\b(?:is|are) NOT\b|\bby default\b|\bregardless of\b|\bindependent(?:ly)? (?:of|from)\b|\bno-op\b/;
/** How it is so far, what is wrong with it, and what to check. */
const soFar =
  /\bcurrent(?:ly)?\b|\bexisting\b|\bno way\b|\bfail(?:s|ed|ing)?\b|\bthe user (?:wants|sees|asked|expects)\b|\b(?:ignored|dropped|hidden|missing|confusing|wrong|broken|unchanged|unaffected)\b|\broot cause\b|\bpreviously\b|\b(?:must|has to) currently\b|\bneeds?\b|\bverify\b|\bconfirm\b|\btests?\b|\bno (?:code )?changes?\b|\bhas no\b|\bbugs?\b|\blines? ~?\d|:\d{2}|[?→]|\bnot a real\b/i;
const leftOut = /\bout of scope\b|\bnon-?goals?\b|\blater\b|\bfollow-?up\b/i;
const pointsBack = /^(?:this|that|it|these|those|they)\b/i;
/** Only earlier text says which one. */
const unnamed = /(?<!^)\b(?:this|these|those|such) (?!is\b|way\b|repo|project)\w+|["“]$/i;
/** About texts and looks. */
const minor = /\b(?:readme|docs?|documentation|changelog|colou?rs?|buttons?|layout|alignment|logos?|icons?|wording)\b/i;

/** A title that was cut may end in a word that leads to the next. */
const openEnd = /(?: (?:into|in|to|of|for|with|and|or|on|by|from|as|at|the|an?))+$/i;

const mostOfPlan = 2;
const longest = 360;

export function planRules(turns: readonly Turn[]): KeyedStatement[] {
  return standingPlans(turns).flatMap(({ title, text, holds }) => {
    if (title === undefined || minor.test(title)) return [];
    const about = cut(title.replaceAll('`', ''), 60)
      .replace(/…$/, '')
      .replace(/\s*\([^)]*$|[\s+&,:–—-]+$/, '')
      .replace(openEnd, '');
    const sentences = sentencesOf(text);
    const headed = headings(text).filter((said) => holds(said));
    const stated = sentences
      .flatMap((sentence, i) => {
        const said = sentence.text;
        if (!wantedIn.test(sentence.heading) || !norm.test(said) || !isRule(said) || !holds(said)) return [];
        const before = sentences[i - 1];
        const needs = pointsBack.test(said) && before?.heading === sentence.heading ? ended(before.text) : '';
        const whole = needs === '' ? said : `${needs} ${said}`;
        return whole.length > longest || soFar.test(needs) || isWithinQuotes(whole) ? [] : [ended(whole)];
      })
      .slice(0, mostOfPlan);
    return [...headed.slice(0, mostOfPlan), ...stated].map((said) => ({
      key: cut(`decision: ${about} ${keyOf(said)}`, 80),
      text: `${about}: ${said}`,
      saidBy: 'agent',
    }));
  });
}

/** `Fix 1: the engine should read the lock first`, also as a heading. */
const numbered =
  /^#{2,4}\s+(?:(?:fix|step|change|phase|part|task)?\s*\w{0,3}\s*[:.)—–-]+\s*)?(.*\b(?:should|must|takes? precedence|never|only)\b.*)$/i;
const headings = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const said = numbered.exec(line.trim())?.[1]?.replace(/\s*\([^)]*\)\s*$/, '') ?? '';
    return /^[A-Z`][a-z\w`]/.test(said) &&
      !/[A-Z]{4,} [A-Z]{4,}/.test(said) &&
      identifier.test(said) &&
      !soFar.test(said) &&
      said.split(' ').length >= 5
      ? [ended(said)]
      : [];
  });

const isWithinQuotes = (text: string): boolean => text.split('"').length % 2 === 0;

const isRule = (text: string): boolean =>
  text.length >= 40 &&
  text.length <= 300 &&
  /[\w.)`"]$/.test(text) &&
  !soFar.test(text) &&
  !leftOut.test(text) &&
  !unnamed.test(text.replace(/^this \w+ /i, '')) &&
  !isPast(text);
