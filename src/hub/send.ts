// Sessions → what the hub lacks of them. Every text is redacted again, by this machine's current rules.
import { hash as digest } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { redactionVersion } from '../capture/redaction/redact.ts';
import { redactEntry, redactRow, redactSession } from '../capture/transfer/import-lines.ts';
import type { ExportedEntry, ExportedFile, ExportedLine } from '../schema/exported.ts';
import { hubKeyPrefix } from '../store/hub/port.ts';
import { tombstone } from '../store/removal/tombstone.ts';
import type { SessionKey } from '../store/sessions/port.ts';
import { type Batch, type BatchRow, batchWriter, type TranscriptPlace } from './batch.ts';
import type { FileLine } from './chunks.ts';
import type { HubDeps, Share } from './local.ts';
import type { WantedVectors } from './vectors.ts';
import { hash53, wordsOf } from './words.ts';

export interface SendDeps extends HubDeps {
  readonly share: Share;
  /** Transcripts of the share that the hub has, by `placeName`: there is no need to ask it about others. */
  readonly there: ReadonlySet<string>;
  readonly send: (batch: Batch) => Promise<void>;
  readonly vectors: WantedVectors;
}

/** The hashes of the entries that the hub has of a transcript, by entry id. */
type Listing = Map<string, number>;

/** The hub's text columns accept no null byte and no lone surrogate. Lines are JSON, which escapes both. */
const plainText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** After this many lines the connection gets its turn, so that the hub stores one batch while the next is made. */
const linesInATurn = 32;

/** Sends sessions of one share. Nothing waits for the hub between two calls of `add`. */
export function sessionSender(deps: SendDeps): {
  add(keys: readonly SessionKey[]): Promise<void>;
  end(): Promise<void>;
} {
  const writer = batchWriter(deps.send, vectorAdder(deps));
  return { add: (keys) => sendSessions(deps, writer, keys), end: writer.end };
}

async function sendSessions(deps: SendDeps, writer: Writer, keys: readonly SessionKey[]): Promise<void> {
  const { store, share } = deps;
  const about = await glances(deps, keys);
  /** Sessions with a transcript of this machine. Rows that were derived from other sessions are not ours to send. */
  const own = new Set<string>();
  const rows: BatchRow[] = [];
  let file: OpenFile | undefined;
  const endFile = async () => {
    if (file === undefined) return;
    const uuids = [...file.listing.keys()].filter((uuid) => !file?.told?.has(uuid));
    if (uuids.length > 0) {
      await writer.transcript({ ...file.place, line: fileLine(file.line) });
      await writer.dropped({ ...file.place, uuids });
    }
    file = undefined;
  };
  let read = 0;
  for await (const line of store.hub.exportedSessions(keys)) {
    if (++read % linesInATurn === 0) await setImmediate();
    deps.signal?.throwIfAborted();
    if (line.is === 'file') {
      await endFile();
      if (line.key.startsWith(hubKeyPrefix)) continue;
      const place = { share: share.id, agent: line.agent, key: plainText(line.key) };
      const isThere = deps.there.has(placeName(place));
      file = {
        place,
        line,
        listing: isThere ? await listingOf(deps, place) : new Map(),
        told: isThere ? new Set() : undefined,
        printOf: sessionPrints(line.agent),
      };
      await tellSessions(writer, file, about, own);
    } else if (line.is === 'entry') {
      if (file === undefined) continue;
      own.add(`${file.line.agent} ${line.session}`);
      await tellEntry(writer, file, line);
    } else {
      await endFile();
      const row = rowOf(line, own, share.id);
      if (row !== undefined) rows.push(row);
    }
  }
  await endFile();
  for (const row of await changedRows(deps, rows, keys)) await writer.row(row);
}

interface Glance {
  readonly title: string;
  readonly started: number;
  readonly ended: number;
}

async function glances({ store }: SendDeps, keys: readonly SessionKey[]): Promise<Map<string, Glance>> {
  const found = new Map<string, Glance>();
  for (const { agent, session } of keys)
    for (const one of await store.sessions.find(session))
      if (one.agent === agent && one.id === session)
        found.set(`${agent} ${session}`, {
          title: one.title,
          started: Date.parse(one.startedAt),
          ended: Date.parse(one.endedAt),
        });
  return found;
}

export const placeName = ({ agent, key }: Pick<TranscriptPlace, 'agent' | 'key'>): string => `${agent} ${key}`;

async function listingOf({ client, membership }: SendDeps, { share, agent, key }: TranscriptPlace): Promise<Listing> {
  const { rows } = await client.query<{ uuid: string; hash: string }>(
    `SELECT e.uuid, e.hash FROM holdfast.entries e JOIN holdfast.transcripts t ON t.id = e.transcript
     WHERE t.share = $1 AND t.machine = $2 AND t.agent = $3 AND t.key = $4`,
    [share, membership.machineId, agent, key],
  );
  return new Map(rows.map(({ uuid, hash }) => [uuid, Number(hash)]));
}

type Writer = ReturnType<typeof batchWriter>;

interface OpenFile {
  readonly place: TranscriptPlace;
  readonly line: ExportedFile;
  readonly listing: Listing;
  /** The entries that the file still has, if the hub may have more. */
  readonly told: Set<string> | undefined;
  /** The hash by which a session is forgotten. */
  readonly printOf: (session: string) => string;
}

/** Recognises a line that the hub has: 52 bits of a digest, which Node computes several times faster than `hash53`. */
const lineHash = (line: string): number => Number.parseInt(digest('sha1', line).slice(0, 13), 16);

const fileLine = ({ subagent, bornAt }: ExportedFile): string =>
  JSON.stringify({ subagent, bornAt, redaction: redactionVersion } satisfies FileLine);

/** Many entries are of few sessions. */
function sessionPrints(agent: ExportedFile['agent']): (session: string) => string {
  const known = new Map<string, string>();
  return (session) => {
    const print = known.get(session) ?? tombstone.session(agent, session);
    known.set(session, print);
    return print;
  };
}

async function tellSessions(
  writer: Writer,
  { place, line }: OpenFile,
  about: ReadonlyMap<string, Glance>,
  own: Set<string>,
): Promise<void> {
  await writer.transcript({ ...place, line: fileLine(line) });
  for (const said of line.sessions) {
    const name = `${line.agent} ${said.session}`;
    const glance = about.get(name);
    if (glance === undefined) continue;
    own.add(name);
    const clean = redactSession({ ...said, title: said.title ?? glance.title });
    const text = JSON.stringify(clean);
    await writer.session({
      ...place,
      session: plainText(said.session),
      print: tombstone.session(line.agent, said.session),
      title: plainText(clean.title ?? ''),
      started: glance.started,
      ended: glance.ended,
      line: text,
      hash: hash53(`${text}${glance.started} ${glance.ended}`),
    });
  }
}

async function tellEntry(
  writer: Writer,
  { place, line: file, listing, told, printOf }: OpenFile,
  entry: ExportedEntry,
): Promise<void> {
  const clean = redactEntry(entry);
  const line = JSON.stringify(clean);
  const hash = lineHash(line);
  const uuid = plainText(entry.uuid);
  told?.add(uuid);
  if (listing.get(uuid) === hash) return;
  await writer.entry(place, {
    uuid,
    print: tombstone.entry(file.agent, entry.uuid),
    session: printOf(entry.session),
    pos: entry.pos,
    at: Math.trunc(entry.at),
    role: entry.role,
    ...wordsOf(clean),
    line,
    hash,
    subagent: (clean.subagent ?? file.subagent) !== null,
    vector: null,
  });
}

/** A derived row that is shared, with the hashes by which it can be forgotten. */
function rowOf(line: ExportedLine, own: ReadonlySet<string>, share: number): BatchRow | undefined {
  if (line.is !== 'observation' && line.is !== 'summary' && line.is !== 'extraction') return undefined;
  if (!own.has(`${line.agent} ${line.session}`)) return undefined;
  if (line.is === 'extraction' && line.file.startsWith(hubKeyPrefix)) return undefined;
  const text = JSON.stringify(redactRow(line));
  const print =
    line.is === 'observation'
      ? tombstone.observation(line.agent, line.entries[0] ?? '')
      : line.is === 'summary'
        ? tombstone.summary(line.agent, line.session)
        : null;
  return {
    share,
    kind: line.is,
    key: plainText(keyOf(line)),
    print,
    session: tombstone.session(line.agent, line.session),
    at: line.is === 'extraction' ? Math.trunc(line.lastAt) : Date.parse(line.at),
    line: text,
    hash: hash53(text),
  };
}

const keyOf = (line: Extract<ExportedLine, { is: 'observation' | 'summary' | 'extraction' }>): string =>
  line.is === 'observation'
    ? `${line.agent} ${line.session} ${line.prompt}`
    : line.is === 'summary'
      ? `${line.agent} ${line.session}`
      : `${line.agent} ${line.file} ${line.firstPos}`;

async function changedRows(
  { client, membership, share, there }: SendDeps,
  rows: readonly BatchRow[],
  keys: readonly SessionKey[],
): Promise<BatchRow[]> {
  // The hub has nothing of this share from here: there is no need to ask.
  if (there.size === 0) return [...rows];
  const prints = keys.map(({ agent, session }) => tombstone.session(agent, session));
  const { rows: listedRows } = await client.query<{ kind: string; key: string; hash: string; session: string }>(
    `SELECT kind, key, hash, session_print AS session FROM holdfast.rows
     WHERE share = $1 AND machine = $2 AND session_print = ANY ($3::uuid[]) AND line IS NOT NULL`,
    [share.id, membership.machineId, prints],
  );
  const listed = new Map(listedRows.map((row) => [`${row.kind} ${row.key}`, row]));
  const changed = rows.filter((row) => {
    const name = `${row.kind} ${row.key}`;
    const same = Number(listed.get(name)?.hash) === row.hash;
    listed.delete(name);
    return !same;
  });
  const gone = [...listed.values()].map(({ kind, key, session }) => ({
    ...{ share: share.id, kind, key, print: null, session },
    ...{ at: 0, line: null, hash: 0 },
  }));
  return [...changed, ...gone];
}

/** Completes a batch with the vectors that its entries have already. */
function vectorAdder({ store, vectors: wanted }: SendDeps): (batch: Batch) => Promise<Batch> {
  return async (batch) => {
    if (batch.entries.length === 0) return batch;
    const { model, vectors } = await store.hub.entryVectors(
      batch.entries.map(({ uuid }) => uuid),
      { final: true },
    );
    const [first] = vectors.values();
    if (first === undefined || !wanted.takes({ name: model, width: first.length })) return batch;
    for (const entry of batch.entries) {
      const vector = vectors.get(entry.uuid);
      if (vector !== undefined) entry.vector = wanted.text(vector);
    }
    return { ...batch, model: { name: model, width: first.length } };
  };
}
