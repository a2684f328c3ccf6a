// What a machine reads from the hub: a page of pushes, a whole share, a whole transcript. A page shows the hub at one moment.
import type { HubClient } from './connect.ts';
import type { HubDeps } from './local.ts';

export interface FetchedEntry {
  readonly uuid: string;
  readonly pos: number;
  readonly line: string;
}

export interface TranscriptPage {
  readonly id: number;
  readonly share: number;
  readonly machine: number;
  readonly agent: string;
  readonly key: string;
  readonly line: string;
  readonly sessions: readonly string[];
  /** The entries of this page, in the order of the transcript. */
  readonly entries: readonly FetchedEntry[];
  /** How many entries the whole transcript has up to this page. */
  readonly count: number;
  /** Reads the whole transcript, piece by piece. */
  whole(): AsyncGenerator<readonly FetchedEntry[]>;
}

export interface PageRow {
  readonly share: number;
  readonly machine: number;
  readonly kind: string;
  readonly key: string;
  readonly line: string | null;
}

export interface PageTombstone {
  readonly print: string;
  readonly memory: string | null;
  readonly at: number;
}

const piece = 400;
const transcriptsAtOnce = 50;
const entriesAtOnce = 500;

async function inOneMoment<T>(client: HubClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await work();
  } finally {
    // Nothing was written. If the connection broke, `work` has thrown already.
    await client.query('COMMIT').catch(() => {});
  }
}

interface TranscriptRow {
  readonly id: number;
  readonly share: number;
  readonly machine: number;
  readonly agent: string;
  readonly key: string;
  readonly line: string;
}

export async function pageOf(
  { client, membership }: HubDeps,
  shares: readonly number[],
  after: number,
  upto: number,
): Promise<{ transcripts: TranscriptPage[]; rows: PageRow[]; tombstones: PageTombstone[] }> {
  const range = [after, upto];
  return inOneMoment(client, async () => {
    const tombstones = await client.query<PageTombstone & { at: string }>(
      'SELECT print, memory, at FROM holdfast.tombstones WHERE person = $3 AND seq > $1 AND seq <= $2 ORDER BY seq',
      [...range, membership.personId],
    );
    if (shares.length === 0) return { transcripts: [], rows: [], tombstones: tombstones.rows.map(plainTombstone) };
    const entries = await client.query<{ transcript: number; uuid: string; pos: string; line: string }>(
      `SELECT e.transcript, e.uuid, e.pos, e.line FROM holdfast.entries e JOIN holdfast.transcripts t ON t.id = e.transcript
       WHERE e.seq > $1 AND e.seq <= $2 AND e.share = ANY ($3::int[]) AND t.machine <> $4 ORDER BY e.transcript, e.pos, e.uuid`,
      [...range, shares, membership.machineId],
    );
    const changed = await client.query<TranscriptRow>(
      `SELECT t.id, t.share, t.machine, t.agent, t.key, t.line FROM holdfast.transcripts t
       WHERE t.share = ANY ($3::int[]) AND t.machine <> $4 AND (t.seq > $1 AND t.seq <= $2 OR t.id = ANY ($5::int[]))`,
      [...range, shares, membership.machineId, [...new Set(entries.rows.map(({ transcript }) => transcript))]],
    );
    const ids = changed.rows.map(({ id }) => id);
    const counts = await client.query<{ transcript: number; count: string }>(
      'SELECT transcript, count(*) FROM holdfast.entries WHERE transcript = ANY ($1::int[]) AND seq <= $2 GROUP BY transcript',
      [ids, upto],
    );
    const sessions = await sessionsIn(client, ids);
    const countOf = new Map(counts.rows.map(({ transcript, count }) => [transcript, Number(count)]));
    const ofTranscript = new Map<number, FetchedEntry[]>();
    for (const row of entries.rows) {
      const list = ofTranscript.get(row.transcript);
      if (list === undefined) ofTranscript.set(row.transcript, [plainEntry(row)]);
      else list.push(plainEntry(row));
    }
    const transcripts = changed.rows.map((row) => ({
      ...row,
      sessions: sessions.get(row.id) ?? [],
      entries: ofTranscript.get(row.id) ?? [],
      count: countOf.get(row.id) ?? 0,
      whole: () => wholeOf(client, row.id),
    }));
    const rows = await client.query<PageRow>(
      `SELECT share, machine, kind, key, line FROM holdfast.rows
       WHERE seq > $1 AND seq <= $2 AND share = ANY ($3::int[]) AND machine <> $4 ORDER BY seq, kind, key`,
      [...range, shares, membership.machineId],
    );
    return { transcripts, rows: rows.rows, tombstones: tombstones.rows.map(plainTombstone) };
  });
}

const plainEntry = ({ uuid, pos, line }: { uuid: string; pos: string | number; line: string }): FetchedEntry => ({
  uuid,
  pos: Number(pos),
  line,
});
const plainTombstone = (row: PageTombstone): PageTombstone => ({
  ...row,
  print: row.print.replaceAll('-', ''),
  at: Number(row.at),
});

async function sessionsIn(client: HubClient, ids: readonly number[]): Promise<Map<number, string[]>> {
  const { rows } = await client.query<{ transcript: number; line: string }>(
    'SELECT transcript, line FROM holdfast.sessions WHERE transcript = ANY ($1::int[]) ORDER BY transcript, session',
    [ids],
  );
  const found = new Map<number, string[]>();
  for (const { transcript, line } of rows) found.set(transcript, [...(found.get(transcript) ?? []), line]);
  return found;
}

/** Pages by position and id, so that nothing is read twice however long the transcript is. `begun` are its first entries, if already read. */
async function* wholeOf(
  client: HubClient,
  transcript: number,
  begun: readonly FetchedEntry[] = [],
): AsyncGenerator<readonly FetchedEntry[]> {
  let [pos, uuid] = [String(-(2n ** 62n)), ''];
  if (begun.length > 0) {
    yield begun;
    const last = begun.at(-1) as FetchedEntry;
    [pos, uuid] = [String(last.pos), last.uuid];
  }
  for (;;) {
    const { rows } = await client.query<{ uuid: string; pos: string; line: string }>(
      `SELECT uuid, pos, line FROM holdfast.entries WHERE transcript = $1 AND (pos, uuid) > ($2::bigint, $3) ORDER BY pos, uuid LIMIT ${piece}`,
      [transcript, pos, uuid],
    );
    if (rows.length === 0) return;
    yield rows.map(plainEntry);
    if (rows.length < piece) return;
    const last = rows[rows.length - 1] as (typeof rows)[number];
    [pos, uuid] = [last.pos, last.uuid];
  }
}

/** The first entries of each transcript, in one query: most transcripts are short. */
async function beginnings(client: HubClient, ids: readonly number[]): Promise<Map<number, FetchedEntry[]>> {
  const { rows } = await client.query<{ transcript: number; uuid: string; pos: string; line: string }>(
    `SELECT t.id AS transcript, e.uuid, e.pos, e.line FROM unnest($1::int[]) AS t (id)
     CROSS JOIN LATERAL (SELECT uuid, pos, line FROM holdfast.entries WHERE transcript = t.id ORDER BY pos, uuid LIMIT ${piece}) e`,
    [ids],
  );
  const found = new Map<number, FetchedEntry[]>(ids.map((id) => [id, []]));
  for (const row of rows) found.get(row.transcript)?.push(plainEntry(row));
  return found;
}

async function* nothingMore(entries: readonly FetchedEntry[]): AsyncGenerator<readonly FetchedEntry[]> {
  if (entries.length > 0) yield entries;
}

/** Requests the next part while the caller processes the current one. */
async function* ahead<T>(parts: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = parts.next();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = parts.next();
      // The error surfaces when the part is awaited: until then it must not count as an unhandled rejection.
      next.catch(() => {});
      yield value;
    }
  } finally {
    // The consumer stopped early: it does not want this part, nor its error.
    await next.catch(() => {});
  }
}

/** Groups neighbours whose entries fit into one answer. */
function readTogether<T extends { readonly held: string }>(transcripts: readonly T[]): T[][] {
  const groups: T[][] = [];
  let room = entriesAtOnce;
  for (const one of transcripts) {
    const size = Math.min(piece, Number(one.held));
    if (groups.length === 0 || size > room) {
      groups.push([]);
      room = entriesAtOnce;
    }
    groups.at(-1)?.push(one);
    room -= size;
  }
  return groups;
}

type SharePart = { transcripts: TranscriptPage[] } | { rows: PageRow[] };

/** All of a share except what this machine gave to it: transcripts first, then what was derived from them. */
export const shareOf = (deps: HubDeps, share: number): AsyncGenerator<SharePart> => ahead(partsOf(deps, share));

async function* partsOf({ client, membership }: HubDeps, share: number): AsyncGenerator<SharePart> {
  let after = 0;
  for (;;) {
    const { rows } = await client.query<TranscriptRow & { held: string }>(
      `SELECT t.id, t.share, t.machine, t.agent, t.key, t.line, (SELECT count(*) FROM holdfast.entries e WHERE e.transcript = t.id) AS held
       FROM holdfast.transcripts t WHERE t.share = $1 AND t.machine <> $2 AND t.id > $3 ORDER BY t.id LIMIT ${transcriptsAtOnce}`,
      [share, membership.machineId, after],
    );
    if (rows.length === 0) break;
    const sessions = await sessionsIn(
      client,
      rows.map(({ id }) => id),
    );
    for (const group of readTogether(rows)) {
      const begun = await beginnings(
        client,
        group.map(({ id }) => id),
      );
      yield {
        transcripts: group.map(({ held: _, ...row }) => ({
          ...row,
          sessions: sessions.get(row.id) ?? [],
          entries: [],
          count: -1,
          whole: () => {
            const first = begun.get(row.id) ?? [];
            return first.length < piece ? nothingMore(first) : wholeOf(client, row.id, first);
          },
        })),
      };
    }
    after = rows[rows.length - 1]?.id ?? after;
  }
  let [machine, kind, key] = [0, '', ''];
  for (;;) {
    const { rows } = await client.query<PageRow>(
      `SELECT share, machine, kind, key, line FROM holdfast.rows
       WHERE share = $1 AND machine <> $2 AND (machine, kind, key) > ($3::int, $4, $5) ORDER BY machine, kind, key LIMIT ${piece}`,
      [share, membership.machineId, machine, kind, key],
    );
    if (rows.length === 0) return;
    yield { rows };
    const last = rows[rows.length - 1] as PageRow;
    [machine, kind, key] = [last.machine, last.kind, last.key];
  }
}
