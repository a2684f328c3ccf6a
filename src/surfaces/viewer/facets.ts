// Filters and sorts sessions, and counts how many each further choice would leave.
import type { Session } from './answers.ts';

export const sorts = [
  ['', 'Last active'],
  ['began', 'Started'],
  ['entries', 'Most entries'],
  ['tools', 'Most tool uses'],
  ['lasted', 'Longest'],
  ['cost', 'Highest cost'],
  ['tokens', 'Most tokens'],
  ['outcome', 'Outcome, failures first'],
  ['title', 'Title'],
] as const;
type Sort = (typeof sorts)[number][0];

export interface Wanted {
  readonly project: string;
  readonly agent: string;
  readonly tag: string;
  readonly outcome: string;
  readonly cost: string;
  readonly starred: boolean;
  /** Only sessions that were active after this moment. */
  readonly since: number;
  readonly words: string;
}

export const outcomes = {
  failed: 'Last tool use failed',
  open: 'Next steps are open',
  done: 'Done',
} as const;

/** Ranges of cost in dollars, each up to its limit. */
const ranges = [
  ['under $0.10', 0.1],
  ['$0.10 to $1', 1],
  ['$1 to $10', 10],
  ['over $10', Number.POSITIVE_INFINITY],
] as const;

const rangeOf = (cost: number | undefined): string =>
  cost === undefined ? 'unknown' : (ranges.find(([, limit]) => cost < limit)?.[0] ?? 'over $10');

/** The filters, and the values of a session for each. */
const facets = {
  project: (session: Session) => [session.projectPath],
  agent: (session: Session) => [session.agent as string],
  tag: (session: Session) => session.tags ?? [],
  outcome: (session: Session) => [session.outcome ?? 'unknown'],
  cost: (session: Session) => [rangeOf(session.cost)],
} as const;
export type Facet = keyof typeof facets;

export function chosen(sessions: readonly Session[], wanted: Wanted, without?: Facet): Session[] {
  const words = wanted.words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return sessions.filter((session) => {
    if (wanted.starred && !session.starred) return false;
    if (Date.parse(session.endedAt) < wanted.since) return false;
    for (const facet of Object.keys(facets) as Facet[])
      if (facet !== without && wanted[facet] !== '' && !facets[facet](session).includes(wanted[facet])) return false;
    const text = `${session.title}\n${session.project}\n${session.branch ?? ''}\n${(session.tags ?? []).join(' ')}\n${session.id}`;
    return words.every((word) => text.toLowerCase().includes(word));
  });
}

export interface Choice {
  readonly value: string;
  readonly count: number;
}

/** The values of a facet among the sessions that pass the other filters, most frequent first. */
export function choices(sessions: readonly Session[], wanted: Wanted, facet: Facet): Choice[] {
  const counts = new Map<string, number>();
  for (const session of chosen(sessions, wanted, facet))
    for (const value of facets[facet](session)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

const lengthOf = ({ startedAt, endedAt }: Session): number => Date.parse(endedAt) - Date.parse(startedAt);

const rankOf = ({ outcome }: Session): number => ['failed', 'open', 'done', 'unknown'].indexOf(outcome ?? 'unknown');

const orders: Readonly<Record<Sort, (a: Session, b: Session) => number>> = {
  '': (a, b) => Date.parse(b.endedAt) - Date.parse(a.endedAt),
  began: (a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt),
  entries: (a, b) => b.entries - a.entries,
  tools: (a, b) => b.toolUses - a.toolUses,
  lasted: (a, b) => lengthOf(b) - lengthOf(a),
  cost: (a, b) => (b.cost ?? -1) - (a.cost ?? -1),
  tokens: (a, b) => (b.tokens ?? -1) - (a.tokens ?? -1),
  outcome: (a, b) => rankOf(a) - rankOf(b),
  title: (a, b) => a.title.localeCompare(b.title),
};

export const sorted = (sessions: readonly Session[], by: string): Session[] =>
  [...sessions].sort(orders[by as Sort] ?? orders['']);
