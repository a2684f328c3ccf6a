// The accepted plans of a conversation that still hold at its end: the agent carried them out, and no one took them back.

import { inputField, sentencesOf } from '../../language/gist.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import type { Turn } from '../material.ts';
import { type Deeds, deedsOf } from './deeds.ts';
import { type Plan, planOf } from './plan.ts';
import { withoutPreamble } from './preamble.ts';
import { identifier } from './request.ts';
import { fileName } from './say.ts';
import { typedText } from './typed-text.ts';

const longestPlan = 8000;

export interface StandingPlan extends Plan {
  /** False for a line about something that the person took back on its own. */
  holds(line: string): boolean;
}

/** Decisions, goals and causes all need them, so this caches them. */
const known = new WeakMap<readonly Turn[], readonly StandingPlan[]>();

/** Plans with a text, in the order of their acceptance. */
export function standingPlans(turns: readonly Turn[]): readonly StandingPlan[] {
  const made = known.get(turns) ?? findPlans(turns);
  known.set(turns, made);
  return made;
}

function findPlans(turns: readonly Turn[]): StandingPlan[] {
  const plans = turns.flatMap((turn, place) => {
    const plan = planOf(turn);
    if (plan === undefined) return [];
    // The person's approval begins a turn of its own. The plan was put forward in the turn before.
    const text = plan.text === '' ? proposedIn(turns[place - 1]) : plan.text;
    return [{ plan: { ...plan, text }, place }];
  });
  return plans.flatMap(({ plan, place }, i) => {
    const next = plans[i + 1]?.place ?? turns.length;
    const replaced = plans.slice(i + 1).some((later) => isSameSubject(plan, later.plan));
    if (plan.text === '' || replaced || !isCarriedOut(plan, turns.slice(place, next))) return [];
    const taken = takenBack(turns.slice(place));
    return taken === 'all' ? [] : [{ ...plan, holds: (line) => !taken.some((name) => line.includes(name)) }];
  });
}

/** The stored beginning of the last plan of a turn that was not refused, without the line in which it was cut. */
function proposedIn(turn: Turn | undefined): string {
  const use = turn?.toolUses.findLast(({ tool, outcome }) => tool === 'ExitPlanMode' && outcome !== 'error');
  const text = inputField(use?.input ?? '', 'plan', longestPlan) ?? '';
  const end = text.indexOf('…');
  return end < 0 ? text : text.slice(0, Math.max(0, text.lastIndexOf('\n', end)));
}

const wordsOf = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/\p{L}[\p{L}\p{N}_-]{2,}/gu) ?? []).filter(isTellingWord));

function isSameSubject(a: Plan, b: Plan): boolean {
  const [one, other] = [wordsOf(a.title ?? ''), wordsOf(b.title ?? '')];
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared > 0 && shared >= Math.min(one.size, other.size) / 2;
}

const anyFile = /\b[\w-]+\.(?:[a-z]{1,4})\b/;

/** Whether the agent changed a file that the plan names, or committed the subject of the plan. A plan without files needs any change. */
function isCarriedOut(plan: Plan, turns: readonly Turn[]): boolean {
  const deeds = turns.map(deedsOf);
  const modified = deeds.flatMap((one) => one.modified);
  if (modified.some((file) => plan.text.includes(fileName(file)))) return true;
  const subject = wordsOf(plan.title ?? '');
  const commits = deeds.flatMap(committedIn);
  if (commits.some((message) => [...wordsOf(message)].filter((word) => subject.has(word)).length >= 2)) return true;
  return modified.length + commits.length > 0 && !anyFile.test(plan.text);
}

const committedIn = ({ commands }: Deeds): string[] =>
  commands.flatMap(({ message, outcome }) => (message !== undefined && outcome !== 'failed' ? [message] : []));

const undid =
  /\b(?:i|we)(?:'ve| have)? (?:just |already |now )?(?:reverted|undone|undid|rolled back|discarded|backed out|thrown (?:away|out)|scrapped)\b/i;
const asksToUndo =
  /^(?:revert|undo|roll ?back|discard|scrap|back out|throw (?:it|this|that|these|everything|all)|start (?:over|again|from scratch)|forget (?:about )?(?:it|this|that|the plan)|drop (?:it|this|that|the (?:plan|idea)))\b/i;
const refuses =
  /\bstart(?:ing)? (?:over|from scratch)\b|\bnot what i (?:asked|wanted|meant)\b|\b(?:the )?wrong (?:approach|direction)\b|\bfocus only on\b|\blet'?s not (?:do|build|add|use|go)\b|\b(?:please|let'?s|you should|can you|could you) (?:\w+ )?(?:revert|undo|roll ?back)\b/i;
const resets = /^git (?:revert\b|reset --hard\b|checkout (?:-- )?\.(?:\s|$)|restore (?:--\S+ )*\.(?:\s|$))/;

/** Longer prompts are pasted for the most part. */
const longestPrompt = 2500;
const mostSentences = 12;

/**
 * What the person took back after the plan: all of it, or the names of what was taken back on its own. The first turn
 * has the plan as its request.
 */
function takenBack([first, ...later]: readonly Turn[]): 'all' | readonly string[] {
  const names: string[] = [];
  for (const turn of later) {
    const { request } = turn;
    if (request === undefined || request.text.length > longestPrompt || planOf(turn) !== undefined) continue;
    for (const { text } of sentencesOf(typedText(request.text)).slice(0, mostSentences)) {
      if (!undid.test(text) && !asksToUndo.test(withoutPreamble(text)) && !refuses.test(text)) continue;
      const named = text.match(new RegExp(identifier.source, 'g')) ?? [];
      if (named.length === 0) return 'all';
      names.push(...named.map((name) => name.replaceAll('`', '').trim()));
    }
  }
  return endsWithReset([...(first === undefined ? [] : [first]), ...later]) ? 'all' : names;
}

/** Whether the agent reset its changes and changed nothing afterwards. */
function endsWithReset(turns: readonly Turn[]): boolean {
  const deeds = turns.map(deedsOf);
  const at = deeds.findLastIndex(({ commands }) =>
    commands.some(({ told, outcome }) => outcome !== 'failed' && resets.test(told)),
  );
  return at >= 0 && deeds.slice(at + 1).every((later) => later.modified.length + committedIn(later).length === 0);
}
