// The choices of a conversation that stay valid, each with what the work was about when the agent asked.

import type { Choice } from '../../schema/choice.ts';
import type { Turn } from '../material.ts';
import { choicesIn, isLasting, namedOption } from './choices.ts';
import { plainTitle } from './commit-title.ts';
import { deedsOf } from './deeds.ts';
import { isDecided } from './design-changes.ts';
import { shortened } from './heading.ts';
import { planOf, proposedTitle } from './plan.ts';
import { readRequest } from './request.ts';

export interface Chosen {
  readonly choice: Choice;
  /** Empty if it is not known. */
  readonly subject: string;
}

const longest = 60;

/** Answers to forms and options named by letter or number, if they make sense without context and stay valid. */
export function chosenIn(turns: readonly Turn[]): Chosen[] {
  return turns.flatMap((turn, i) => {
    const { request } = turn;
    const named = request === undefined ? undefined : namedOption(request, turns[i - 1]?.entries ?? []);
    const lasting = [...choicesIn(turn), ...(named === undefined ? [] : [named])].filter(isLasting);
    return lasting.map((choice) => ({ choice, subject: shortened(subjectOf(turns, i), longest).replace(/…$/, '') }));
  });
}

/** An answer to a form or a verdict on a plan goes on with the work of the prompt before it. */
const begins = ({ request }: Turn): boolean =>
  request !== undefined && request.form !== 'choice' && request.form !== 'verdict';

/**
 * The plan that the agent put forward or the person accepted after the choice, otherwise the plan that the turn began with, otherwise what
 * was committed soon after, otherwise the request. What was done before the choice says nothing about it.
 */
function subjectOf(turns: readonly Turn[], at: number): string {
  const later = turns.slice(at);
  const begun = turns.findLast((turn, i) => i <= at && begins(turn));
  const plan = plansIn(upTo(later, 1))[0] ?? (begun === undefined ? undefined : planOf(begun)?.title);
  const commit = plan === undefined ? committedIn(upTo(later, soon)) : undefined;
  const asked = readRequest(begun?.request?.text ?? '');
  return plan ?? (commit === undefined ? (asked.sound ? asked.title : '') : plainTitle(commit));
}

/** A request to commit, and one or two for corrections, may come before the commit. */
const soon = 3;

/** The turns up to the one that begins with the given number of further requests. */
function upTo(turns: readonly Turn[], requests: number): readonly Turn[] {
  const places = [...turns.keys()].filter((i) => i > 0 && begins(turns[i] as Turn));
  const last = places[requests - 1];
  return last === undefined ? turns : turns.slice(0, last + 1);
}

const plansIn = (turns: readonly Turn[]): string[] =>
  turns.flatMap((turn) => proposedTitle(turn) ?? planOf(turn)?.title ?? []);

const committedIn = (turns: readonly Turn[]): string | undefined =>
  turns
    .flatMap((turn) => deedsOf(turn).commands)
    .flatMap(({ message, outcome }) => (outcome === 'ok' ? (message ?? []) : []))
    .find(isDecided);
