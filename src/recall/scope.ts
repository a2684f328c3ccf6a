// ④ Filters → which entries may be found.
import type { KeywordFilter } from '../store/search/port.ts';
import type { Store } from '../store/store.ts';
import { flag, type Places } from './vectors/places.ts';
import { bytes } from './vectors/scratch.ts';

/** 1 if the filter allows an entry; undefined if it allows all. */
export async function scopeOf(
  store: Pick<Store, 'search' | 'sessions'>,
  places: Places,
  filter: Omit<KeywordFilter, 'limit'> = {},
): Promise<Uint8Array | undefined> {
  const { project, agent, group, starred, tag, role, since, until, use, subagents = false } = filter;
  const { flags, at, session } = places;
  const users = use === undefined ? undefined : new Set(await store.search.toolUsers(use));
  let wanted: Uint8Array | undefined;
  const markSessions = (rows: readonly number[], value: 0 | 1) => {
    wanted ??= new Uint8Array(places.sessionCount).fill(1 - value);
    for (const row of rows) {
      const number = places.sessionOf(row);
      if (number >= 0) wanted[number] = value;
    }
  };
  const isChosen = [project, agent, group, tag].some((one) => one !== undefined) || starred === true;
  if (isChosen) markSessions(await store.sessions.rows({ project, agent, group, starred, tag }), 1);
  else {
    // Few belong to groups: look up these instead of all the others.
    const ofGroups = await store.sessions.groupedRows();
    if (ofGroups.length > 0) markSessions(ofGroups, 0);
  }
  const not = flag.gone | (subagents ? 0 : flag.subagent);
  const byRole = role === undefined ? -1 : role === 'user' ? 0 : 1;
  const scope = bytes.take(places.size);
  mark(scope, flags, not);
  const keep = (test: (place: number) => boolean) => {
    for (let place = 0; place < scope.length; place++) if (scope[place] === 1 && !test(place)) scope[place] = 0;
  };
  const sessions = wanted;
  if (sessions !== undefined) keep((place) => sessions[session[place] as number] === 1);
  if (users !== undefined) keep((place) => users.has(places.rowid[place] as number));
  if (byRole >= 0) keep((place) => places.role[place] === byRole);
  if (since !== undefined) keep((place) => (at[place] as number) >= since);
  if (until !== undefined) keep((place) => (at[place] as number) < until);
  return scope;
}

/** Over all places, in a separate function: a closure would reread its variables at every step. */
function mark(scope: Uint8Array, flags: Uint8Array, not: number): void {
  for (let place = 0; place < scope.length; place++) scope[place] = ((flags[place] as number) & not) === 0 ? 1 : 0;
}
