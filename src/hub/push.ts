// This machine → hub. A push compares to find what the hub lacks, so a killed or repeated push ends with the same rows.
import { randomUUID } from 'node:crypto';
import type { SessionKey } from '../store/sessions/port.ts';
import { type Batch, batchWriter, emptyBatch, pushed } from './batch.ts';
import { pushCopies } from './copies.ts';
import { type HubDeps, type LocalProject, localProjects, mayLeave, type Share, visibleShares } from './local.ts';
import { hubHash, memoryRowsOf } from './memory-rows.ts';
import { isStillSame, readPullNote } from './pull.ts';
import { placeName, sessionSender } from './send.ts';
import { pushLateVectors, sendVectors, wantedVectors } from './vectors.ts';

export interface Pushed {
  readonly sessions: number;
  readonly entries: number;
  readonly forgotten: number;
}

/** Where the last push ended. `next` is written before a push: after a kill, the hub's mark may be either of the two. */
interface PushNote {
  readonly hub: string;
  readonly mark: string | null;
  readonly next: string | null;
  /** Folders of each share that were pushed completely once. */
  readonly done: Readonly<Record<string, readonly string[]>>;
  /** A checksum over the tombstones that the hub was sent: if it changes, there are more. */
  readonly prints: number;
  /** Copies in the vault up to this time were processed. */
  readonly copies: number;
  /** The hub has the vectors of all its entries up to this number. 0 while entries are under way without their vectors. */
  readonly vectors: number;
}

const noteName = 'hub: pushed';
const sessionsAtOnce = 100;
/** The larger a step, the less each entry costs. */
const indexedAtOnce = 2000;

export async function push(deps: HubDeps): Promise<Pushed> {
  const { store, client, membership } = deps;
  const { rows } = await client.query<{ pushed: string; mark: string | null }>(
    'SELECT pushed, mark FROM holdfast.state()',
  );
  const state = { pushed: Number(rows[0]?.pushed ?? 0), mark: rows[0]?.mark ?? null };
  let note = await readNote(deps);
  const upto = await store.changes.last();
  // After a restore from a backup, the store or the hub counts differently: compare everything. A machine that pushed nothing since the backup
  // knows the hub's mark, but may be the last one that knows what was forgotten since.
  const isOurMark = note.hub === membership.hub && (state.mark === note.mark || state.mark === note.next);
  const known = isOurMark && (await isStillSame(deps, await readPullNote(store)));
  const cursor = known && state.pushed <= upto ? state.pushed : 0;
  const keep = async (change: Partial<PushNote>) => {
    note = { ...note, ...change };
    await store.hub.setNote(noteName, JSON.stringify(note));
  };
  await keep({
    hub: membership.hub,
    mark: state.mark,
    next: null,
    ...(known ? {} : { done: {}, prints: 0, copies: 0, vectors: 0 }),
  });

  let [entries, unindexed] = [0, 0];
  let mark = state.mark;
  const vectors = await wantedVectors(client);
  const haveVectors = note.vectors;
  const send = async (batch: Batch): Promise<void> => {
    deps.signal?.throwIfAborted();
    const next = randomUUID();
    await keep({ mark, next, ...(batch.model === undefined ? {} : { vectors: 0 }) });
    const { sql, values } = pushed({ ...batch, after: mark, mark: next });
    await client.query(sql, values);
    if (batch.model !== undefined) await sendVectors(client, batch.model, batch);
    mark = next;
    entries += batch.entries.length;
    unindexed += batch.entries.length;
    if (unindexed < indexedAtOnce) return;
    // The hub does this while the next batch is made.
    unindexed -= await indexWords(deps);
  };

  const forgotten = await pushForgotten(deps, note.prints, send);
  await keep({ prints: forgotten.total });
  const shares = (await visibleShares(client)).filter(({ person }) => person === membership.personId);
  const local = await localProjects(deps);
  const changed = await changedSessions(deps, cursor);
  // The stored extractions no longer contain the forgotten memories: send them again, so that the hub loses them too.
  if (forgotten.memories > 0) changed.sessions.push(...(await store.memory.extractions()));
  let sessions = 0;
  let isNewShare = false;
  for (const share of shares) {
    const folders = local.get(share.project) ?? [];
    const fresh = folders.filter(({ path }) => !(note.done[share.id] ?? []).includes(path));
    const wanted = await sessionsOf(deps, folders, fresh, changed);
    const there = wanted.length === 0 ? new Set<string>() : await transcriptsThere(deps, share);
    const sending = sessionSender({ ...deps, share, send, there, vectors });
    for (let i = 0; i < wanted.length; i += sessionsAtOnce) await sending.add(wanted.slice(i, i + sessionsAtOnce));
    await sending.end();
    sessions += wanted.length;
    if (fresh.length > 0 || changed.memory || wanted.length > 0) await pushMemory(deps, share, folders, send);
    if (fresh.length > 0) isNewShare = true;
    if (fresh.length > 0) await keep({ done: { ...note.done, [share.id]: folders.map(({ path }) => path) } });
  }
  if (upto !== state.pushed || cursor !== state.pushed) await send({ ...emptyBatch, cursor: upto });
  await keep({ copies: await pushCopies(deps, shares, local, isNewShare ? 0 : note.copies, send) });
  await keep({
    mark,
    next: null,
    vectors: await pushLateVectors(deps, vectors, { shares, local, after: haveVectors }),
  });
  // The rest, and what a killed exchange has left.
  while ((await indexWords(deps)) > 0) deps.signal?.throwIfAborted();
  return { sessions, entries, forgotten: forgotten.sent };
}

/** Makes some of the pushed entries searchable by words. If killed, the next exchange does it. */
async function indexWords({ client }: HubDeps): Promise<number> {
  const { rows } = await client.query<{ done: number }>('SELECT holdfast.index_words($1) AS done', [indexedAtOnce]);
  return rows[0]?.done ?? 0;
}

async function readNote({ store }: HubDeps): Promise<PushNote> {
  const none = { hub: '', mark: null, next: null, done: {}, prints: 0, copies: 0, vectors: 0 };
  const text = await store.hub.note(noteName);
  return text === undefined ? none : { ...none, ...(JSON.parse(text) as Partial<PushNote>) };
}

interface Changed {
  readonly sessions: SessionKey[];
  readonly memory: boolean;
}

async function changedSessions({ store }: HubDeps, cursor: number): Promise<Changed> {
  const found = new Map<string, SessionKey>();
  let memory = false;
  for (let from = cursor; ; ) {
    const page = await store.changes.after(from, 5000);
    for (const { kind, agent, session } of page) {
      if (kind === 'memory') memory = true;
      if (agent !== undefined && session !== undefined) found.set(`${agent} ${session}`, { agent, session });
    }
    const last = page.at(-1);
    if (last === undefined) return { sessions: [...found.values()], memory };
    from = last.seq;
  }
}

/** The transcripts of this machine that the hub has in a share. */
async function transcriptsThere({ client, membership }: HubDeps, share: Share): Promise<Set<string>> {
  const { rows } = await client.query<{ agent: string; key: string }>(
    'SELECT agent, key FROM holdfast.transcripts WHERE share = $1 AND machine = $2',
    [share.id, membership.machineId],
  );
  return new Set(rows.map(placeName));
}

/** Sessions of the share to compare: all of a folder that was never pushed, otherwise those that changed. */
async function sessionsOf(
  deps: HubDeps,
  folders: readonly LocalProject[],
  fresh: readonly LocalProject[],
  changed: Changed,
): Promise<SessionKey[]> {
  const { store } = deps;
  if (folders.length === 0) return [];
  const paths = new Set(folders.map(({ path }) => path));
  const allowed = mayLeave(deps);
  const found = new Map<string, SessionKey>();
  const take = async (one: { agent: SessionKey['agent']; id: string; projectPath: string; cwd: string }) => {
    const key = { agent: one.agent, session: one.id };
    const name = `${one.agent} ${one.id}`;
    if (!found.has(name) && paths.has(one.projectPath) && (await allowed({ ...key, cwd: one.cwd })))
      found.set(name, key);
  };
  for (const { path } of fresh)
    for (const one of await store.sessions.list({ project: { path }, limit: 1_000_000 })) await take(one);
  for (const { agent, session } of changed.sessions)
    for (const one of await store.sessions.find(session))
      if (one.agent === agent && one.id === session) await take(one);
  return [...found.values()];
}

async function pushForgotten(
  { store, client, membership }: HubDeps,
  told: number,
  send: (batch: Batch) => Promise<void>,
): Promise<{ total: number; sent: number; memories: number }> {
  const [prints, memories] = [await store.removal.tombstones(), [...(await store.pages.forgottenUpTo())]];
  // A memory that was forgotten again has a later time: then the sum changes although the count does not.
  const total = memories.reduce((sum, [, at]) => (sum + at + 1) % 2 ** 52, prints.length);
  if (total === told) return { total, sent: 0, memories: 0 };
  const { rows } = await client.query<{ print: string; at: string }>(
    'SELECT print, at FROM holdfast.tombstones WHERE person = $1',
    [membership.personId],
  );
  const known = new Map(rows.map(({ print, at }) => [print.replaceAll('-', ''), Number(at)]));
  const fresh = [
    ...prints.map(({ print, at }) => ({ print, at, memory: null })),
    ...memories.map(([memory, at]) => ({ print: hubHash(memory), at, memory })),
  ].filter(({ print, at, memory }) => !known.has(print) || (memory !== null && at > (known.get(print) ?? 0)));
  for (let i = 0; i < fresh.length; i += 1000) await send({ ...emptyBatch, forgotten: fresh.slice(i, i + 1000) });
  return { total, sent: fresh.length, memories: fresh.filter(({ memory }) => memory !== null).length };
}

async function pushMemory(
  deps: HubDeps,
  share: Share,
  folders: readonly LocalProject[],
  send: (batch: Batch) => Promise<void>,
): Promise<void> {
  const { client, membership } = deps;
  const { rows } = await client.query<{ kind: string; key: string; hash: string }>(
    `SELECT kind, key, hash FROM holdfast.rows WHERE share = $1 AND machine = $2 AND session_print IS NULL AND line IS NOT NULL`,
    [share.id, membership.machineId],
  );
  const listed = new Map(rows.map(({ kind, key, hash }) => [`${kind} ${key}`, Number(hash)]));
  const writer = batchWriter(send);
  for (const row of await memoryRowsOf(deps, share, folders)) {
    const name = `${row.kind} ${row.key}`;
    if (listed.get(name) !== row.hash) await writer.row({ ...row, share: share.id });
    listed.delete(name);
  }
  const gone = { print: null, session: null, at: 0, line: null, hash: 0 };
  for (const name of listed.keys()) {
    const [kind = '', ...key] = name.split(' ');
    await writer.row({ ...gone, share: share.id, kind, key: key.join(' ') });
  }
  await writer.end();
}
