// Finds what an id, or the beginning of one, refers to.

import type { AgentName } from '../../schema/agent-name.ts';
import { type Entry, saidOrUsed } from '../../schema/entry.ts';
import type { Session } from '../../schema/session.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';

/** A thing whose id begins as asked; `says` distinguishes it from others with the same beginning. */
export interface Candidate<T> {
  readonly id: string;
  readonly says: string;
  readonly what: T;
}

export type Lookup<T> = (id: string) => Promise<readonly Candidate<T>[]>;

/** Looks up one kind after the other. A whole id means itself, even if other ids begin with it. */
export async function findOne<T>(id: string, kinds: readonly Lookup<T>[], words: string): Promise<T> {
  // Every id begins with the empty string.
  if (id === '')
    throw new HoldfastError('BAD_INPUT', 'The id is empty', { hint: 'List ids with `holdfast sessions`.' });
  for (const lookup of kinds) {
    const found = await lookup(id);
    const exact = found.filter((candidate) => candidate.id === id);
    const meant = exact.length > 0 ? exact : found;
    if (meant.length === 1) return (meant[0] as Candidate<T>).what;
    if (meant.length > 1) throw ambiguous(id, meant);
  }
  throw new HoldfastError('NOT_FOUND', `No ${words} has an id that begins with ${JSON.stringify(id)}`, {
    hint: 'List sessions with `holdfast sessions`, or find entries with `holdfast search`.',
  });
}

function ambiguous(id: string, found: readonly Candidate<unknown>[]): HoldfastError {
  const more = found.length > 10 ? `\n  … and ${found.length - 10} more` : '';
  const named = found.slice(0, 10).map((one) => `${one.id} (${one.says})`);
  return new HoldfastError('AMBIGUOUS', `${found.length} ids begin with ${JSON.stringify(id)}`, {
    hint: `Give more of the id:\n  ${named.join('\n  ')}${more}`,
  });
}

export interface SessionOrEntry {
  readonly session: Session;
  readonly entry?: Entry;
}

type Lookups = (store: Pick<Store, 'entries' | 'sessions'>, agent: AgentName | undefined) => Lookup<SessionOrEntry>;

export const sessionsNamed: Lookups = (store, agent) => async (id) =>
  (await store.sessions.find(id))
    .filter((session) => agent === undefined || session.agent === agent)
    .map((session) => ({
      id: session.id,
      says: `${session.agent}, ${session.project}: ${session.title}`,
      what: { session },
    }));

export const entriesNamed: Lookups = (store, agent) => async (id) => {
  const found: Candidate<SessionOrEntry>[] = [];
  for (const entry of await store.entries.find(id)) {
    if (agent !== undefined && entry.agent !== agent) continue;
    const session = (await store.sessions.find(entry.session)).find(
      (one) => one.agent === entry.agent && one.id === entry.session,
    );
    const says = `${entry.agent}, ${entry.role}: ${saidOrUsed(entry).slice(0, 60).replace(/\s+/g, ' ')}`;
    if (session) found.push({ id: entry.id, says, what: { session, entry } });
  }
  return found;
};

/** The session with this id, or the entry and its session. */
export const find = (
  store: Pick<Store, 'entries' | 'sessions'>,
  id: string,
  agent: AgentName | undefined,
): Promise<SessionOrEntry> =>
  findOne(id, [sessionsNamed(store, agent), entriesNamed(store, agent)], 'session or entry');
