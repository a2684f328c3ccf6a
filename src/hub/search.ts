// Search in the hub: finds candidates by words and, with pgvector, by meaning, and returns the best of them as hits.
import { cosineOf } from '../embedding/embedder.ts';
import { parseKeywords } from '../recall/question/keywords.ts';
import { snippet } from '../recall/shown/snippet.ts';
import { AgentName } from '../schema/agent-name.ts';
import { ExportedEntry } from '../schema/exported.ts';
import type { Hit } from '../schema/hit.ts';
import { toMoment } from '../schema/time.ts';
import type { HubClient } from './connect.ts';
import type { Share } from './local.ts';
import type { SharedMemory } from './memory-rows.ts';
import { hubDimensions, vectorText } from './vectors.ts';
import { wordHash, wordsOf } from './words.ts';

export interface HubQuestion {
  readonly query: string;
  readonly kind: 'entry' | 'session' | 'memory';
  readonly limit: number;
  /** The shares to search. */
  readonly shares: readonly Share[];
  /** All existing shares: the hub then need not check each. */
  readonly everything: boolean;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly role?: string | undefined;
  readonly agent?: string | undefined;
  readonly vector?: { readonly model: string; readonly values: Int8Array } | undefined;
}

export interface HubAnswer {
  readonly hits: Hit[];
  /** Whether the search compared meaning. */
  readonly byMeaning: boolean;
}

const candidates = 200;
/** Up to this many entries are compared one by one; beyond that, the index of neighbours gives the nearest. */
const mostCompared = 50_000;
/** The weight of words against meaning. */
const wordShare = 0.65;

/** The words of a query as the hub knows them, with the parts and variants that the local search looks for. */
export function askedWords(query: string): number[] {
  const { terms, phrases, variants = [] } = parseKeywords(query);
  const words = [
    ...terms.flatMap(({ words: own, parts = [] }) => [...own, ...parts.flatMap((part) => part.words)]),
    ...phrases.flat(),
    ...variants.flatMap(({ words: own }) => own),
  ];
  return [...new Set(words.flatMap((word) => wordHash(word) ?? []))].slice(0, 32);
}

export async function searchHub(client: HubClient, asked: HubQuestion): Promise<HubAnswer> {
  if (asked.kind === 'memory') return { hits: await memories(client, asked), byMeaning: false };
  if (asked.shares.length === 0) return { hits: [], byMeaning: false };
  const within = asked.everything ? null : asked.shares.map(({ id }) => id);
  const scores = new Map<number, { words: number; meaning: number }>();
  const words = askedWords(asked.query);
  if (words.length > 0) {
    const { rows } = await client.query<{ entry: number; score: number }>(
      'SELECT entry, score FROM holdfast.find_words($1, $2, $3)',
      [words, within, candidates],
    );
    const best = rows[0]?.score ?? 1;
    for (const { entry, score } of rows) scores.set(entry, { words: score / best, meaning: 0 });
  }
  const byMeaning = await addMeaning(client, asked, within, scores);
  const ranked = [...scores]
    .map(([entry, { words: w, meaning }]) => ({
      entry,
      score: byMeaning ? wordShare * w + (1 - wordShare) * meaning : w,
    }))
    .sort((a, b) => b.score - a.score || a.entry - b.entry);
  return { hits: await hitsOf(client, asked, ranked), byMeaning };
}

/** Returns whether it compared meaning: only if the hub's vectors come from the same model as the query's. */
async function addMeaning(
  client: HubClient,
  { vector, shares }: HubQuestion,
  within: readonly number[] | null,
  scores: Map<number, { words: number; meaning: number }>,
): Promise<boolean> {
  if (vector === undefined || vector.values.length !== hubDimensions) return false;
  const { rows } = await client.query<{ schema: string | null; model: string | null }>(
    'SELECT vector_schema AS schema, model FROM holdfast.hub',
  );
  const hub = rows[0];
  if (hub?.model !== vector.model) return false;
  const note = (entry: number, cosine: number) => {
    const known = scores.get(entry) ?? { words: 0, meaning: 0 };
    scores.set(entry, { ...known, meaning: Math.max(0, cosine) });
  };
  if (hub.schema === null) {
    // Exact, for the entries that words have found.
    const { rows: found } = await client.query<{ entry: number; vector: Buffer }>(
      'SELECT entry, vector FROM holdfast.vectors WHERE entry = ANY ($1::int[])',
      [[...scores.keys()]],
    );
    for (const { entry, vector: bytes } of found)
      note(entry, cosineOf(vector.values, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)));
    return found.length > 0;
  }
  const found = await nearest(client, hub.schema, vectorText(vector.values, true) ?? '', within, shares);
  for (const { entry, cosine } of found) note(entry, cosine);
  return true;
}

/** Compares all entries if they are few; otherwise uses the index of neighbours. */
export async function nearest(
  client: HubClient,
  schema: string,
  vector: string,
  within: readonly number[] | null,
  shares: readonly Pick<Share, 'id'>[],
  most = mostCompared,
): Promise<{ entry: number; cosine: number }[]> {
  const type = `"${schema.replaceAll('"', '""')}".halfvec`;
  const distance = `vector OPERATOR("${schema.replaceAll('"', '""')}".<=>) $1::${type}`;
  const ids = within ?? shares.map(({ id }) => id);
  const { rows: sizes } = await client.query<{ entries: string }>(
    'SELECT sum(entries) AS entries FROM holdfast.shares WHERE id = ANY ($1::int[])',
    [ids],
  );
  if (Number(sizes[0]?.entries ?? 0) <= most) {
    const { rows } = await client.query<{ entry: number; cosine: number }>(
      `WITH near AS MATERIALIZED (SELECT entry, vector FROM holdfast.vectors WHERE share = ANY ($2::int[]))
       SELECT entry, 1 - (${distance}) AS cosine FROM near ORDER BY ${distance} LIMIT ${candidates}`,
      [vector, ids],
    );
    return rows;
  }
  await client.query('BEGIN');
  try {
    await client.query('SET LOCAL hnsw.ef_search = 200');
    await client.query('SET LOCAL hnsw.iterative_scan = relaxed_order');
    const { rows } = await client.query<{ entry: number; cosine: number }>(
      `SELECT entry, 1 - (${distance}) AS cosine FROM holdfast.vectors ${within === null ? '' : 'WHERE share = ANY ($2::int[])'}
       ORDER BY ${distance} LIMIT ${candidates}`,
      within === null ? [vector] : [vector, within],
    );
    return rows;
  } finally {
    await client.query('COMMIT').catch(() => {});
  }
}

interface EntryRow {
  readonly id: number;
  readonly share: number;
  readonly agent: string;
  readonly machine: string;
  readonly title: string;
  readonly line: string;
}

async function hitsOf(
  client: HubClient,
  asked: HubQuestion,
  ranked: readonly { entry: number; score: number }[],
): Promise<Hit[]> {
  const { rows } = await client.query<EntryRow>(
    // Select the entries first: otherwise the planner would search for all of them once for each transcript.
    `WITH e AS MATERIALIZED (
       SELECT id, share, transcript, session_print, line FROM holdfast.entries
       WHERE id = ANY ($1::int[]) AND ($2::bigint IS NULL OR at >= $2) AND ($3::bigint IS NULL OR at < $3) AND ($4::text IS NULL OR role = $4))
     SELECT e.id, e.share, t.agent, m.name AS machine, coalesce(s.title, '') AS title, e.line FROM e
     JOIN holdfast.transcripts t ON t.id = e.transcript JOIN holdfast.machines m ON m.id = t.machine
     LEFT JOIN holdfast.sessions s ON s.transcript = t.id AND s.print = e.session_print
     WHERE $5::text IS NULL OR t.agent = $5`,
    [
      ranked.slice(0, candidates).map(({ entry }) => entry),
      asked.since ?? null,
      asked.until ?? null,
      asked.role ?? null,
      asked.agent ?? null,
    ],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const shares = new Map(asked.shares.map((share) => [share.id, share]));
  const keywords = parseKeywords(asked.query);
  const seen = new Set<string>();
  const hits: Hit[] = [];
  for (const { entry, score } of ranked) {
    const row = byId.get(entry);
    const agent = AgentName.safeParse(row?.agent).data;
    if (row === undefined || agent === undefined || hits.length >= asked.limit) continue;
    const said = ExportedEntry.parse(JSON.parse(row.line));
    const id = asked.kind === 'session' ? said.session : said.uuid;
    // A fork repeats the entries that it began with.
    if (seen.has(id)) continue;
    seen.add(id);
    const share = shares.get(row.share);
    hits.push({
      kind: asked.kind,
      id,
      ...{ session: said.session, project: share?.name ?? '', agent, at: toMoment(said.at), score },
      ...(asked.kind === 'entry' ? { role: said.role } : {}),
      snippet: snippet(said.text, keywords),
      ...(row.title === '' ? {} : { title: row.title }),
      ...(share === undefined ? {} : { by: share.personName }),
      machine: row.machine,
    });
  }
  return hits;
}

/** Projects' pages have little text: this machine compares all of it. */
async function memories(client: HubClient, asked: HubQuestion): Promise<Hit[]> {
  const { rows } = await client.query<{ share: number; line: string; machine: string }>(
    `SELECT r.share, r.line, m.name AS machine FROM holdfast.rows r JOIN holdfast.machines m ON m.id = r.machine
     WHERE r.kind = 'memory' AND r.line IS NOT NULL AND r.share = ANY ($1::int[]) ORDER BY r.at DESC LIMIT 5000`,
    [asked.shares.map(({ id }) => id)],
  );
  const words = new Set(askedWords(asked.query));
  const keywords = parseKeywords(asked.query);
  const shares = new Map(asked.shares.map((share) => [share.id, share]));
  return rows
    .flatMap(({ share, line, machine }) => {
      const memory = JSON.parse(line) as SharedMemory;
      const held = new Set(wordsOf({ text: `${memory.title} ${memory.text}`, uses: [] }).words);
      const score = [...words].filter((word) => held.has(word)).length / Math.max(1, words.size);
      const from = shares.get(share);
      return score === 0 || from === undefined
        ? []
        : [
            {
              ...{
                kind: 'memory' as const,
                id: memory.id,
                session: memory.session,
                project: from.name,
                at: toMoment(Date.parse(memory.at)),
                score,
              },
              ...{ snippet: snippet(memory.text, keywords), title: memory.title, by: from.personName, machine },
            },
          ];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, asked.limit);
}
