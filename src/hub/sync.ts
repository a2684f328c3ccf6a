// One exchange with the hub: push, then pull. Only one process of a machine does it at a time; a second one returns at once.

import type { Config } from '../config/config.ts';
import type { Store } from '../store/store.ts';
import { connectAs, type Patience } from './connect.ts';
import { clockProblem } from './join.ts';
import type { HubSideStore } from './local.ts';
import { needMembership } from './membership.ts';
import { type Pulled, pull } from './pull.ts';
import { type Pushed, push } from './push.ts';
import { dropIfDamaged, hasTeamStore, isDamage, openTeamStore } from './team-store.ts';
import { noteTeammates } from './teammates.ts';
import { placeOf, readAddress } from './url.ts';

export interface SyncDeps {
  readonly store: HubSideStore;
  readonly config: Config;
  readonly clock: () => number;
  readonly signal?: AbortSignal | undefined;
}

export interface Synced {
  /** False: another process is doing it. */
  readonly done: boolean;
  readonly pushed: Pushed;
  readonly pulled: Pulled;
  /** What is wrong with the clock of this machine. */
  readonly clock?: string | undefined;
}

const nothing: Omit<Synced, 'done'> = {
  pushed: { sessions: 0, entries: 0, forgotten: 0 },
  pulled: { entries: 0, forgotten: 0, taken: 0, dropped: 0 },
};

export async function sync(deps: SyncDeps, wait?: Patience): Promise<Synced> {
  const membership = needMembership(deps.config.home);
  const client = await connectAs(membership, wait);
  let team: Store | undefined;
  try {
    const { rows } = await client.query<{ free: boolean }>(
      // Every member can read the number of a lock that is held, and take it later. One that another person holds stops nothing: the marks of
      // pushes keep two exchanges of this machine apart too.
      `SELECT pg_try_advisory_lock(n) OR NOT EXISTS (
         SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid AND a.usename = session_user
         WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.classid::bigint = (n >> 32) & 4294967295
           AND l.objid::bigint = n & 4294967295) AS free
       FROM hashtextextended($1, 0) AS n`,
      [`holdfast machine ${membership.secret}`],
    );
    if (rows[0]?.free !== true) return { done: false, ...nothing };
    const given = { ...deps, client, membership };
    const pushed = await push(given);
    const { home } = deps.config;
    const take = () =>
      pull({
        ...given,
        hasTeam: () => hasTeamStore(home),
        async team() {
          team ??= (await openTeamStore(home, true)) as Store;
          return team;
        },
      });
    const pulled = await take().catch(async (error: unknown) => {
      await team?.close();
      team = undefined;
      if (isDamage(error)) await dropIfDamaged(home);
      if (!isDamage(error) || hasTeamStore(home)) throw error;
      // The hub has everything that was in it.
      return take();
    });
    // The pull opened the team store, so something in it has changed: update what briefings say about teammates.
    if (team !== undefined) await noteTeammates(deps.store, team);
    const clock = await clockProblem(client, deps.clock, placeOf(readAddress(membership.url)));
    return { done: true, pushed, pulled, clock };
  } finally {
    await client.end();
    await team?.close();
  }
}
