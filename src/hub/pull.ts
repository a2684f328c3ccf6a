// Hub → this machine, in the order in which pushes were committed. Each page shows the hub at one moment; applied twice, it changes nothing.
import { forgetAsElsewhere } from '../distill/memory/forget.ts';
import type { Store } from '../store/store.ts';
import { type Target, targetsOf } from './apply.ts';
import { type PageRow, pageOf, shareOf, type TranscriptPage } from './fetch.ts';
import { type HubDeps, type HubSideStore, localProjects, type Share, visibleShares } from './local.ts';

export interface PullDeps extends HubDeps {
  /** Whether there is a store for what teammates share. */
  readonly hasTeam: () => boolean;
  /** The store for what teammates share, opened when there is something for it. */
  readonly team: () => Promise<HubSideStore>;
}

export interface Pulled {
  readonly entries: number;
  readonly forgotten: number;
  /** How many shares are new here, and how many are gone. */
  readonly taken: number;
  readonly dropped: number;
}

/** This machine has everything up to the push `seq`. Its stamp shows whether this is still the same hub. */
export interface PullNote {
  readonly hub: string;
  readonly seq: number;
  readonly stamp: string;
  readonly shares: readonly number[];
  /** Person and machine by machine id, for display. */
  readonly machines: Readonly<Record<string, { readonly person: string; readonly machine: string }>>;
}

export const pullNoteName = 'hub: pulled';
const batchesInAPage = 200;
const entriesInAPage = 1000;

export async function readPullNote(store: Pick<Store, 'hub'>): Promise<PullNote> {
  const none = { hub: '', seq: 0, stamp: '', shares: [], machines: {} };
  const text = await store.hub.note(pullNoteName);
  return text === undefined ? none : { ...none, ...(JSON.parse(text) as Partial<PullNote>) };
}

/**
 * Whether the hub still holds the last push that this machine has pulled. One that was restored from an older backup does not: it counts on from
 * there, and has lost what others told it since, also what they forgot.
 */
export async function isStillSame({ client }: Pick<HubDeps, 'client'>, { seq, stamp }: PullNote): Promise<boolean> {
  if (seq === 0) return true;
  const { rows } = await client.query<{ seq: string; stamp: string }>(
    'SELECT seq, stamp FROM holdfast.batches_after($1, 1)',
    [seq],
  );
  return Number(rows[0]?.seq) === seq && rows[0]?.stamp === stamp;
}

export async function pull(deps: PullDeps): Promise<Pulled> {
  const { store, client, membership } = deps;
  let note = await readPullNote(store);
  if (note.hub !== membership.hub) note = { ...note, hub: membership.hub, seq: 0, stamp: '', shares: [] };
  const done = { entries: 0, forgotten: 0, taken: 0, dropped: 0 };
  const keep = async (change: Partial<PullNote>) => {
    note = { ...note, ...change };
    await store.hub.setNote(pullNoteName, JSON.stringify(note));
  };

  const local = await localProjects(deps);
  const visible = await visibleShares(client);
  // From teammates, pull only what belongs to a repository on this machine; searches ask the hub for the rest.
  const wanted = visible.filter((share) => share.person === membership.personId || local.has(share.project));
  const targets = targetsOf(deps, local);
  await keep({ machines: await machinesOf(deps) });

  for (const id of note.shares.filter((share) => !wanted.some((one) => one.id === share))) {
    await targets.drop(id);
    await keep({ shares: note.shares.filter((share) => share !== id) });
    done.dropped++;
  }
  // The store with what teammates share may be gone.
  const lost = deps.hasTeam() ? [] : wanted.filter(({ person }) => person !== membership.personId).map(({ id }) => id);
  if (note.shares.some((id) => lost.includes(id)))
    await keep({ shares: note.shares.filter((id) => !lost.includes(id)) });
  if (!(await isStillSame(deps, note))) await keep({ seq: 0, stamp: '', shares: [] });

  const takePages = async (): Promise<void> => {
    for (;;) {
      deps.signal?.throwIfAborted();
      const { rows } = await client.query<{ seq: string; stamp: string; entries: number }>(
        'SELECT seq, stamp, entries FROM holdfast.batches_after($1, $2)',
        [note.seq + 1, batchesInAPage],
      );
      if (rows.length === 0) return;
      // A machine without shares takes only tombstones, so these pushes fit into one page.
      const last = note.shares.length === 0 ? rows.length : inOnePage(rows.map(({ entries }) => entries));
      const upto = Number(rows[last - 1]?.seq);
      const page = await pageOf(deps, note.shares, note.seq, upto);
      done.forgotten += await targets.forget(page.tombstones);
      for (const share of wanted) {
        const [transcripts, changed] = [
          page.transcripts.filter(({ share: id }) => id === share.id),
          page.rows.filter((row) => row.share === share.id),
        ];
        done.entries += await targets.of(share).take(share, transcripts);
        await targets.of(share).takeRows(share, changed);
      }
      await keep({ seq: upto, stamp: rows[last - 1]?.stamp ?? '' });
    }
  };
  // New shares come last: taken whole, they contain everything from the pushes before.
  await takePages();
  const fresh = wanted.filter(({ id }) => !note.shares.includes(id));
  for (const share of fresh) {
    done.entries += await takeShare(deps, targets.of(share), share);
    await keep({ shares: [...note.shares, share.id] });
    done.taken++;
  }
  if (fresh.length > 0) await takePages();
  // Only after all rows and all hashes are here, so that their order does not matter.
  await forgetAsElsewhere({ store });
  return done;
}

/** How many of these pushes to take at once: as many as have few entries together, at least one. */
function inOnePage(sizes: readonly number[]): number {
  let last = 0;
  for (let held = 0; last < sizes.length && (last === 0 || held + (sizes[last] ?? 0) <= entriesInAPage); last++)
    held += sizes[last] ?? 0;
  return last;
}

async function takeShare(deps: PullDeps, target: Target, share: Share): Promise<number> {
  let entries = 0;
  for await (const part of shareOf(deps, share.id)) {
    deps.signal?.throwIfAborted();
    if ('transcripts' in part) entries += await target.take(share, part.transcripts as TranscriptPage[]);
    else await target.takeRows(share, part.rows as PageRow[]);
  }
  return entries;
}

async function machinesOf({ client }: PullDeps): Promise<PullNote['machines']> {
  const { rows } = await client.query<{ id: number; person: string; machine: string }>(
    'SELECT m.id, p.name AS person, m.name AS machine FROM holdfast.machines m JOIN holdfast.people p ON p.id = m.person',
  );
  return Object.fromEntries(rows.map(({ id, person, machine }) => [id, { person, machine }]));
}
