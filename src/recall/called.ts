// ④ Sessions whose name matches the query: by title, by the person's name for it, or by branch. They come first.
import type { Store } from '../store/store.ts';
import type { Question } from './question/question.ts';
import { type Ranked, type RankInput, unranked } from './ranking/rank.ts';

export interface Called extends Ranked {
  readonly because: string;
}

/** Above every match by words or meaning. A branch is certainly a name, so it comes before a title. */
const above = { title: 1, branch: 2 } as const;

/** By the number of the session, in the order in which they are shown. */
export async function calledSo(
  { sessions }: Pick<Store, 'sessions'>,
  input: RankInput,
  { keywords }: Pick<Question, 'keywords'>,
  best: ReadonlyMap<number, Ranked>,
): Promise<Map<number, Called>> {
  const { places, scope } = input;
  const words = [...keywords.terms.flatMap((term) => term.words), ...keywords.phrases.flat()];
  const named = await sessions.named(words);
  if (named.length === 0) return new Map();
  const numbers = new Map(named.map(({ row, branch }) => [places.sessionOf(row), branch] as const));
  const first = firstPlaces(input, numbers);
  const most = [...best.values()].reduce((score, one) => Math.max(score, one.score), 0);
  const found = [...numbers].flatMap(([number, branch]): [number, Called][] => {
    const known = best.get(number);
    const place = known?.place ?? first.get(number);
    if (number < 0 || place === undefined || (scope !== undefined && scope[place] !== 1)) return [];
    const one = known ?? unranked(input, place, 0);
    const because = branch === undefined ? 'it is called so' : `its branch is ${branch}`;
    return [
      [number, { ...one, score: one.score + (most + 1) * above[branch === undefined ? 'title' : 'branch'], because }],
    ];
  });
  return new Map(found.sort(([, a], [, b]) => b.score - a.score));
}

/** The first place of each of these sessions, among the places in scope. */
function firstPlaces({ places, scope }: RankInput, sessions: ReadonlyMap<number, unknown>): Map<number, number> {
  const first = new Map<number, number>();
  for (let place = 0; place < places.size && first.size < sessions.size; place++) {
    const session = places.session[place] as number;
    if (sessions.has(session) && !first.has(session) && (scope === undefined || scope[place] === 1))
      first.set(session, place);
  }
  return first;
}
