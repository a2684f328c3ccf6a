// The title of a session, from the strongest source: a name by the person, the agent's own title if it names the work, a plan, a pull
// request, a commit, then the request.
import { cut } from '../../language/gist.ts';
import type { SessionMaterial, Turn } from '../material.ts';
import { madeTitle } from './made-title.ts';
import type { Reading } from './observe.ts';
import { planOf } from './plan.ts';
import { asksFor } from './preamble.ts';
import { isVague, numbered, saysNothing, wordsOf } from './request.ts';
import { takenBack } from './taken-back.ts';
import { weakTitle } from './weak-title.ts';

const longestTitle = 110;

export type Titled = Pick<SessionMaterial, 'turns' | 'titleSource' | 'branches'> & { readonly title?: string };

export function sessionTitle(session: Titled, readings: readonly Reading[]): string {
  const { turns } = session;
  const own = ownTitle(session);
  const plan = planTitle(turns.slice(0, 1 + firstTelling(turns)));
  const made = madeTitle(readings);
  const strong =
    (session.titleSource === 'person' || !(isLoose(own) || isOvertaken(own, readings)) ? own : '') ||
    (isCorrected(turns) || inquiry.test(plan) ? made.sure || plan : plan || made.sure);
  return cut(strong || own || planTitle(turns) || weakTitle(session, readings, made.minor), longestTitle);
}

/** Verbs of a title that was given before the work and says only how it began. */
const inquiry =
  /^(?:review|check|look|understand|explore|investigate|analy[sz]e|examine|explain|discuss|debug|diagnose|continue|read|verify|inspect|assess|evaluate|find out|figure out|help|ask|question)\w*\b/i;

/** Names a field of work, but not what was done in it. */
const field =
  /\b(?:capabilit(?:y|ies)|handling|issues?|behaviou?rs?|problems?|questions?|status|overview|details|discussion|investigation|analysis|usage|options?)$/i;

/** Whether a title says how the work began, or names an action without its object. A number of an issue names no object. */
export const isLoose = (title: string): boolean =>
  inquiry.test(title) || (field.test(title) && !asksFor.test(title)) || isVague(title.replace(numbered, ' '));

/** Whether the person took back the work that a title names. */
function isOvertaken(title: string, readings: readonly Reading[]): boolean {
  const words = wordsOf(title);
  const about = readings.findIndex(({ turn }) => {
    const asked = new Set(wordsOf(turn.request?.text.slice(0, 2000) ?? ''));
    return words.filter((word) => asked.has(word)).length >= 2;
  });
  return takenBack(readings).has(about);
}

const corrects =
  /\b(?:should(?:n'?t| not)|instead|rather|not (?:what|that|there|like)|wrong|i meant|actually|focus only)\b/i;

/** Whether the person corrected or took back a plan. Then the heading of the plan may name what was not built. */
function isCorrected(turns: readonly Turn[]): boolean {
  const at = turns.findIndex((turn) => planOf(turn)?.title !== undefined);
  const later = at < 0 ? [] : turns.slice(at + 1);
  return later.some(({ request }) => request !== undefined && request.text.length < 600 && corrects.test(request.text));
}

/** Titles that say nothing. */
const unnamed = /^(?:new (?:session|chat|conversation)|untitled|session|conversation|claude code|hello|hi)\W*$/i;

const ownTitle = ({ title = '', titleSource }: Titled): string =>
  titleSource === undefined || unnamed.test(title.trim()) || saysNothing(title) ? '' : title.trim();

const firstTelling = (turns: readonly Turn[]): number =>
  Math.max(
    0,
    turns.findIndex(({ request }) => request !== undefined && !saysNothing(request.text)),
  );

const planTitle = (turns: readonly Turn[]): string => {
  for (const turn of turns) {
    const title = planOf(turn)?.title;
    if (title !== undefined) return title;
  }
  return '';
};
