// ④ What teammates did in a project, for the briefing. The exchange with the hub stores it as a note, so that no briefing waits for the
// hub.

import { cut, inOneLine } from '../../language/gist.ts';
import type { BriefingItem } from '../../schema/briefing.ts';
import type { Store } from '../../store/store.ts';
import type { Calendar } from '../question/calendar.ts';
import type { Claim } from './budget.ts';

/** A teammate's session, in a line. */
export interface TeamSession {
  readonly person: string;
  readonly session: string;
  readonly title: string;
  readonly at: number;
}

export const teammatesNote = 'hub: teammates';

/** By the folder of the project, newest first. */
export async function teammatesIn(store: Pick<Store, 'hub'>, project: string): Promise<readonly TeamSession[]> {
  const text = await store.hub.note(teammatesNote);
  if (text === undefined) return [];
  return (JSON.parse(text) as Record<string, readonly TeamSession[]>)[project] ?? [];
}

const mostTold = 5;

/** Only those since the last session here. */
export function teammateItems(
  sessions: readonly TeamSession[],
  lastHere: number | undefined,
  days: Calendar,
): (Claim & { readonly item: BriefingItem })[] {
  return sessions
    .filter(({ at }) => at > (lastHere ?? 0))
    .slice(0, mostTold)
    .map(({ person, session, title, at }, i) => {
      const text = `${days.day(at)}, ${inOneLine(person)}: ${cut(inOneLine(title), 110)} (\`${session.slice(0, 8)}\`)`;
      return {
        section: 'teammate',
        rank: 24 + 6 * i,
        text: `- ${text}`,
        item: { kind: 'teammate', id: session, text },
      };
    });
}
