// The token budget of models, per calendar day and per session. The runner reserves tokens before a call and counts the spent ones after it.

import { estimateTokens } from '../language/tokens.ts';
import { dayOf } from '../schema/day.ts';
import type { Settings } from '../schema/settings.ts';
import type { TokenLimits } from '../store/jobs/port.ts';
import type { Turn } from './material.ts';

export function limitsAt(now: number, { budget, timeZone }: Settings): TokenLimits & { readonly dayEnd: number } {
  const { from, to } = dayOf(now, 0, timeZone);
  return { dayStart: from, dayEnd: to, perDay: budget.tokensPerDay, perSession: budget.tokensPerSession };
}

/** `2026-03-01`, in the person's time zone. */
export function dayNames(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (at) => format.format(at);
}

/** A call for a single tool use would need its own prompt and answer. These are the sizes of ours, without the material. */
const callTokens = { prompt: 500, answer: 250 };

/** Tokens that one call for each tool use would take. */
export const eachToolUse = (turns: readonly Turn[]): number =>
  turns.reduce((sum, { toolUses }) => {
    const tokens = toolUses.map(({ input, output }) => estimateTokens(input) + estimateTokens(output ?? ''));
    return sum + tokens.reduce((all, one) => all + one + callTokens.prompt + callTokens.answer, 0);
  }, 0);
