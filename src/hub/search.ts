// Search in the hub: finds candidates by words and, with pgvector, by meaning, and returns the best of them as hits.
import { stemmer } from 'stemmer';
import { cosineOf } from '../embedding/embedder.ts';
import { parseKeywords } from '../recall/question/keywords.ts';
import { fold, wordPattern } from '../recall/question/words.ts';
import type { FoundEntry } from '../recall/ranking/one-scale.ts';
import { meaningOfEntry, rankAlone } from '../recall/ranking/rank.ts';
import { snippet } from '../recall/shown/snippet.ts';
import { flag } from '../recall/vectors/places.ts';
import { AgentName } from '../schema/agent-name.ts';
import { ExportedEntry } from '../schema/exported.ts';
import type { Hit } from '../schema/hit.ts';
import { toMoment } from '../schema/time.ts';
import { withoutToolNames } from '../schema/tool-names.ts';
import { indexText } from '../store/search/index-text.ts';
import { indexedUses } from '../store/search/tool-text.ts';
import type { HubClient } from './connect.ts';
import type { Share } from './local.ts';
import type { SharedMemory } from './memory-rows.ts';
import { nearest } from './nearest.ts';
import { vectorText } from './vectors.ts';
import { wordHash, wordsOf } from './words.ts';

/** Which entries may be found. The hub applies it before it chooses the best. */
export interface HubFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly role?: string | undefined;
  readonly agent?: string | undefined;
  /** Also what subagents said. */
  readonly subagents?: boolean | undefined;
}

export interface HubQuestion {
  readonly query: string;
  readonly kind: 'entry' | 'session' | 'memory';
  readonly limit: number;
  /** The shares to search. */
  readonly shares: readonly Share[];
  /** All existing shares: the hub then need not check each. */
  readonly everything: boolean;
  readonly filter?: HubFilter | undefined;
  readonly vector?: { readonly model: string; readonly values: Int8Array } | undefined;
  /** Whose words the question is about, and which times. */
  readonly speaker?: 'user' | 'assistant' | undefined;
  readonly times?: readonly { readonly from: number; readonly until: number }[] | undefined;
}

/** How an entry was found: its BM25, and its cosine with the query. */
interface Found {
  readonly words?: number;
  readonly cosine?: number;
}

export interface HubAnswer {
  readonly hits: Hit[];
  /** The entry by which each hit was found, in the order of the hits. Empty for memories. */
  readonly entries: FoundEntry[];
  /** Whether the search compared meaning. */
  readonly byMeaning: boolean;
}

/**
 * How many entries are found by words, and by meaning, before the best are chosen. More are needed only if many of them are of one session,
 * or do not hold a quoted phrase.
 */
const candidates = [200, 1000, 5000];

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

const filterValues = ({ since, until, role, agent, subagents = false }: HubFilter = {}) => [
  since ?? null,
  until ?? null,
  role ?? null,
  agent ?? null,
  subagents,
];

export async function searchHub(client: HubClient, asked: HubQuestion): Promise<HubAnswer> {
  if (asked.kind === 'memory') return { hits: await memories(client, asked), entries: [], byMeaning: false };
  let answer: HubAnswer = { hits: [], entries: [], byMeaning: false };
  if (asked.shares.length === 0) return answer;
  for (const most of candidates) {
    const { mayBeMore, ...found } = await searchAmong(client, asked, most);
    answer = found;
    if (!mayBeMore || answer.hits.length >= asked.limit) break;
  }
  return answer;
}

/** Searches among the `most` best by words and the `most` best by meaning. `mayBeMore`: there were more than these. */
async function searchAmong(
  client: HubClient,
  asked: HubQuestion,
  most: number,
): Promise<HubAnswer & { mayBeMore: boolean }> {
  const within = asked.everything ? null : asked.shares.map(({ id }) => id);
  const found = new Map<number, Found>();
  const words = askedWords(asked.query);
  if (words.length > 0) {
    const { rows } = await client.query<{ entry: number; score: number }>(
      'SELECT entry, score FROM holdfast.find_words($1, $2, $3, $4, $5, $6, $7, $8)',
      [words, within, most, ...filterValues(asked.filter)],
    );
    for (const { entry, score } of rows) found.set(entry, { words: score });
  }
  const byWords = found.size;
  const near = await addMeaning(client, asked, within, found, most);
  const byMeaning = near !== undefined;
  const ranked = rankFound(asked, found, await standingsOf(client, [...found.keys()]), byMeaning);
  const cosineOfEntry = (entry: number) => (byMeaning ? found.get(entry)?.cosine : undefined);
  // Every entry is near to some degree: more candidates by meaning would not contain the phrase more often.
  const mayBeMore = byWords >= most || (asked.kind === 'session' && (near ?? 0) >= most);
  return { ...(await hitsOf(client, asked, ranked, cosineOfEntry)), byMeaning, mayBeMore };
}

/**
 * Adds cosines. Returns how many entries were found by meaning; undefined if the search did not compare meaning. It does only if the hub's
 * vectors come from the same model as the query's.
 */
async function addMeaning(
  client: HubClient,
  { vector, shares, filter }: HubQuestion,
  within: readonly number[] | null,
  found: Map<number, Found>,
  most: number,
): Promise<number | undefined> {
  if (vector === undefined) return undefined;
  const { rows } = await client.query<{ schema: string | null; model: string | null; dimensions: number | null }>(
    'SELECT vector_schema AS schema, model, dimensions FROM holdfast.hub',
  );
  const hub = rows[0];
  if (hub?.model !== vector.model || hub.dimensions !== vector.values.length) return undefined;
  const note = (entry: number, cosine: number) => void found.set(entry, { ...found.get(entry), cosine });
  if (hub.schema === null) {
    // Exact, for the entries that words have found.
    const { rows: known } = await client.query<{ entry: number; vector: Buffer }>(
      'SELECT entry, vector FROM holdfast.vectors WHERE entry = ANY ($1::int[]) AND octet_length(vector) = $2',
      [[...found.keys()], vector.values.length],
    );
    for (const { entry, vector: bytes } of known)
      note(entry, cosineOf(vector.values, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)));
    return known.length > 0 ? 0 : undefined;
  }
  const near = await nearest(client, hub.schema, vectorText(vector.values, true), { within, shares, filter }, { most });
  for (const { entry, cosine } of near) note(entry, cosine);
  return near.length;
}

interface Standing {
  readonly id: number;
  readonly at: string;
  readonly role: string;
  readonly session: string;
  readonly subagent: boolean;
}

/** What ranking needs of the entries, without their texts. */
async function standingsOf(client: HubClient, ids: readonly number[]): Promise<Standing[]> {
  if (ids.length === 0) return [];
  const { rows } = await client.query<Standing>(
    'SELECT e.id, e.at, e.role, e.session_print AS session, e.subagent FROM holdfast.entries e WHERE e.id = ANY ($1::int[])',
    [ids],
  );
  return rows;
}

/** Ranks as the local search ranks entries that stand alone: the neighbours of an entry are not here. */
function rankFound(
  { kind, speaker, times }: HubQuestion,
  found: ReadonlyMap<number, Found>,
  standings: readonly Standing[],
  byMeaning: boolean,
): { entry: number; score: number }[] {
  // In the order of ids, so that equal entries come in the same order every time.
  const all = [...standings].sort((a, b) => a.id - b.id);
  const sessions = new Map([...new Set(all.map(({ session }) => session))].map((session, i) => [session, i]));
  const cosineAt = (id: number) => found.get(id)?.cosine;
  const places = {
    size: all.length,
    rowid: Int32Array.from(all, ({ id }) => id),
    session: Int32Array.from(all, ({ session }) => sessions.get(session) ?? 0),
    at: Float64Array.from(all, ({ at }) => Number(at)),
    role: Uint8Array.from(all, ({ role }) => (role === 'user' ? 0 : 1)),
    flags: Uint8Array.from(
      all,
      ({ id, subagent }) => (cosineAt(id) === undefined ? flag.noVector : 0) | (subagent ? flag.subagent : 0),
    ),
  };
  const words = all.flatMap(({ id }, place) => {
    const score = found.get(id)?.words;
    return score === undefined ? [] : [{ place, score }];
  });
  const cosines = byMeaning ? Float32Array.from(all, ({ id }) => cosineAt(id) ?? 0) : undefined;
  const subagentsAlike = kind === 'session';
  return rankAlone({ places, words, cosines, speaker, times, subagentsAlike }, meaningOfEntry).map(
    ({ place, score }) => ({
      entry: places.rowid[place] as number,
      score,
    }),
  );
}

interface EntryRow {
  readonly id: number;
  readonly share: number;
  readonly agent: string;
  readonly machine: string;
  readonly title: string;
  readonly line: string;
}

async function entriesAt(client: HubClient, ids: readonly number[]): Promise<Map<number, EntryRow>> {
  const { rows } = await client.query<EntryRow>(
    // Select the entries first: otherwise the planner would search for all of them once for each transcript.
    `WITH e AS MATERIALIZED (
       SELECT id, share, transcript, session_print, line FROM holdfast.entries WHERE id = ANY ($1::int[]))
     SELECT e.id, e.share, t.agent, m.name AS machine, coalesce(s.title, '') AS title, e.line FROM e
     JOIN holdfast.transcripts t ON t.id = e.transcript JOIN holdfast.machines m ON m.id = t.machine
     LEFT JOIN holdfast.sessions s ON s.transcript = t.id AND s.print = e.session_print`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Reads texts from the best entry on, until there are enough hits. */
async function hitsOf(
  client: HubClient,
  asked: HubQuestion,
  ranked: readonly { entry: number; score: number }[],
  cosineOfEntry: (entry: number) => number | undefined,
): Promise<Pick<HubAnswer, 'hits' | 'entries'>> {
  const shares = new Map(asked.shares.map((share) => [share.id, share]));
  const keywords = parseKeywords(asked.query);
  const isAsked = phraseTest(keywords.phrases);
  const seen = new Set<string>();
  const hits: Hit[] = [];
  const entries: FoundEntry[] = [];
  const step = asked.limit + 10;
  for (let from = 0; from < ranked.length && hits.length < asked.limit; from += step) {
    const some = ranked.slice(from, from + step);
    const rows = await entriesAt(
      client,
      some.map(({ entry }) => entry),
    );
    for (const { entry, score } of some) {
      const row = rows.get(entry);
      const agent = AgentName.safeParse(row?.agent).data;
      if (row === undefined || agent === undefined || hits.length >= asked.limit) continue;
      const said = ExportedEntry.parse(JSON.parse(row.line));
      const id = asked.kind === 'session' ? said.session : said.uuid;
      // A fork repeats the entries that it began with.
      if (seen.has(id) || !isAsked(said)) continue;
      seen.add(id);
      const share = shares.get(row.share);
      entries.push({
        ...{ text: said.text, uses: said.uses, at: said.at, role: said.role },
        ...{ subagent: said.subagent !== null, cosine: cosineOfEntry(entry) },
      });
      hits.push({
        kind: asked.kind,
        id,
        ...{ session: said.session, project: share?.name ?? '', agent, at: toMoment(said.at), score },
        ...(asked.kind === 'entry' ? { role: said.role, ...(said.subagent ? { subagent: said.subagent } : {}) } : {}),
        snippet: snippet(withoutToolNames(said.text, said.tools), keywords),
        ...(row.title === '' ? {} : { title: row.title }),
        ...(share === undefined ? {} : { by: share.personName }),
        machine: row.machine,
      });
    }
  }
  return { hits, entries };
}

/** Quoted phrases are required, as they are in the local search. */
function phraseTest(phrases: readonly (readonly string[])[]): (entry: ExportedEntry) => boolean {
  if (phrases.length === 0) return () => true;
  const sequence = (words: readonly string[]) => ` ${words.map((word) => stemmer(fold(word))).join(' ')} `;
  const wanted = phrases.map(sequence);
  return ({ text, uses }) => {
    const { input, output } = indexedUses(uses);
    const held = [text, input, output].map((part) => sequence(indexText(part).match(wordPattern) ?? []));
    return wanted.every((phrase) => held.some((words) => words.includes(phrase)));
  };
}

/** Projects' pages have little text: this machine compares all of it. */
async function memories(client: HubClient, asked: HubQuestion): Promise<Hit[]> {
  const { rows } = await client.query<{ share: number; line: string; machine: string }>(
    `SELECT r.share, r.line, m.name AS machine FROM holdfast.rows r JOIN holdfast.machines m ON m.id = r.machine
     WHERE r.kind = 'memory' AND r.line IS NOT NULL AND r.share = ANY ($1::int[]) AND ($2::bigint IS NULL OR r.at >= $2)
       AND ($3::bigint IS NULL OR r.at < $3) ORDER BY r.at DESC LIMIT 5000`,
    [asked.shares.map(({ id }) => id), asked.filter?.since ?? null, asked.filter?.until ?? null],
  );
  const words = new Set(askedWords(asked.query));
  const keywords = parseKeywords(asked.query);
  const shares = new Map(asked.shares.map((share) => [share.id, share]));
  return rows
    .flatMap(({ share, line, machine }) => {
      const memory = JSON.parse(line) as SharedMemory;
      const held = new Set(
        wordsOf({ text: `${memory.title} ${memory.text}`, uses: [] })
          .words.slice(1, -1)
          .split(','),
      );
      const score = [...words].filter((word) => held.has(String(word))).length / Math.max(1, words.size);
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
