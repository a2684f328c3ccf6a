// Groups ranked hits by session: the session of the best hit comes first, with its other hits folded below.
import type { Hit } from './answers.ts';

export interface GroupHead {
  readonly session: string;
  readonly title: string;
  readonly project: string;
  /** How many of the hits are in the session. */
  readonly count: number;
}

export type HitRow =
  /** `head` is shown above the first hit of a session. */
  | { readonly kind: 'hit'; readonly hit: Hit; readonly head?: GroupHead }
  /** Opens the other hits of a session. */
  | { readonly kind: 'rest'; readonly session: string; readonly count: number };

/** How many hits of a session are shown before the person opens the rest. */
const shownFirst = 3;

/** `open`: the sessions whose hits are all shown. A hit without a session stands alone. */
export function groupedHits(hits: readonly Hit[], open: ReadonlySet<string>): HitRow[] {
  const groups = new Map<string, Hit[]>();
  for (const [i, hit] of hits.entries()) {
    const key = hit.session === '' ? `alone ${i}` : hit.session;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [hit]);
    else group.push(hit);
  }
  return [...groups.values()].flatMap((group) => rowsOf(group, open));
}

function rowsOf(group: readonly Hit[], open: ReadonlySet<string>): HitRow[] {
  const [first] = group;
  if (first === undefined) return [];
  if (first.session === '') return group.map((hit) => ({ kind: 'hit', hit }));
  const { session, title = '', project } = first;
  // A row that says "1 more" takes as much room as the hit itself.
  const isWhole = open.has(session) || group.length <= shownFirst + 1;
  const shown = isWhole ? group : group.slice(0, shownFirst);
  const head = { session, title, project, count: group.length };
  const rows: HitRow[] = shown.map((hit, i) => (i === 0 ? { kind: 'hit', hit, head } : { kind: 'hit', hit }));
  if (!isWhole) rows.push({ kind: 'rest', session, count: group.length - shown.length });
  return rows;
}

export const sessionsIn = (hits: readonly Hit[]): number =>
  new Set(hits.map(({ session }) => session).filter((session) => session !== '')).size;
