// Which of the last sessions a briefing tells. Each thing is told once: by a fact or by the heading of a session.

import type { SessionGlance } from '../../store/sessions/port.ts';
import type { Durable } from './durable.ts';
import { outcomeOf, renamed, saysNoMore, type Told, tellsTitle } from './session-told.ts';
import { isMinor, namesWork } from './worth-telling.ts';

export interface LastSessions {
  /** Newest first. */
  readonly told: readonly Told[];
  /** How many sessions were looked at. */
  readonly seen: number;
  /** The sessions whose title a fact tells, by the id of the fact. */
  readonly byFact: ReadonlyMap<string, string>;
}

/** The newest session, and older ones unless they are routine, or a fact tells all that they came to. */
export async function lastSessions(
  sessions: readonly SessionGlance[],
  tell: (glance: SessionGlance) => Promise<Told>,
  facts: readonly Durable[],
  most: number,
): Promise<LastSessions> {
  const shown: Told[] = [];
  const byFact = new Map<string, string>();
  let seen = 0;
  for (const glance of sessions.slice(0, 3 * most)) {
    if (shown.length >= most) break;
    seen++;
    const told = await tell(glance);
    const { title } = told.glance;
    if (!told.isNamed && (!namesWork(title) || (seen > 1 && isMinor(title)))) continue;
    const fact = facts.find((one) => tellsTitle(one.text, title) && !isHeading(one, [told]));
    if (fact === undefined || told.isNamed) shown.push(told);
    else {
      byFact.set(fact.id, glance.id);
      const isSaid = (text: string) => facts.some((one) => saysNoMore(one.text, text));
      if (outcomeOf(told, isSaid).text !== '') shown.push(renamed(told, isSaid));
    }
  }
  return { told: shown, seen, byFact };
}

const scope = / \([\w./-]+\)\.?$/;

/** Whether a fact says no more than the heading of a session. */
export const isHeading = ({ core }: Pick<Durable, 'core'>, told: readonly Told[]): boolean =>
  told.some(({ glance }) => saysNoMore(glance.title, core.replace(scope, '')));
