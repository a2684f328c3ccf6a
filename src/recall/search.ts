// ④ Recall: query → ranked hits, each with why. Words and meaning are compared for every entry; the kind says what a hit is.
import type { Config } from '../config.ts';
import { type DerivedKind, type Hit, type HitKind, isDerived } from '../schema/hit.ts';
import type { KeywordFilter, Store } from '../store/store.ts';
import type { EntryAt } from '../store/vectors.ts';
import { compare } from './compare.ts';
import { searchDerived } from './derived.ts';
import { type Question, readQuestion, withoutQuotes } from './question.ts';
import { grouped, type Ranked, type RankInput, rankAlone, rankEntries } from './rank.ts';
import { type Candidate, refine } from './refine.ts';
import { shown } from './shown.ts';
import { openEntryIndex } from './vectors/entry-index.ts';
import { flag, type Meaning, type MeaningState, type Places } from './vectors/index.ts';
import { bytes, floats } from './vectors/scratch.ts';
import { reasons } from './why.ts';
import { longestQuery } from './words.ts';

export interface SearchDeps {
  readonly store: Store;
  readonly config?: Config | undefined;
  readonly clock?: (() => number) | undefined;
  readonly meaning?: Meaning | undefined;
}

export interface SearchRequest {
  readonly query: string;
  readonly kind: HitKind;
  /** A file is for observations and summaries, who said it for entries. */
  readonly filter?: Omit<KeywordFilter, 'limit'> & { readonly file?: string | undefined };
  readonly limit: number;
}

export interface SearchAnswer {
  readonly hits: Hit[];
  /** Why something cannot be found, where that is known. */
  readonly note?: string | undefined;
}

/** So many entries with words of the query are ranked; what comes after them is no match for the first ten. */
const mostByWords = 1000;
/** So many matches are grouped into conversations. */
const mostGrouped = 5000;
/** So many are looked at with their texts. */
const looked = (limit: number): number => 2 * limit + 30;

const onlyBeginning = `The query is long: its first ${longestQuery.toLocaleString('en')} characters were looked for.`;

/**
 * Phrases in quotes must be there. In a sentence that quotes something which stands nowhere they need not, and the note says
 * so: who asks about a book by its title still wants to find what was said about it.
 */
export async function search(deps: SearchDeps, whole: SearchRequest): Promise<SearchAnswer> {
  if (whole.query.length <= longestQuery) return searchWithin(deps, whole);
  // Whole letters only: half of one is no text that a model or an index takes.
  const query = whole.query.slice(0, longestQuery).toWellFormed();
  const { hits, note } = await searchWithin(deps, { ...whole, query });
  return { hits, note: note === undefined ? onlyBeginning : `${onlyBeginning} ${note}` };
}

async function searchWithin(deps: SearchDeps, request: SearchRequest): Promise<SearchAnswer> {
  const answer = await searchAsAsked(deps, request);
  const query = answer.hits.length === 0 ? withoutQuotes(request.query) : undefined;
  if (query === undefined) return answer;
  const { hits, note } = await searchAsAsked(deps, { ...request, query });
  if (hits.length === 0) return answer;
  return {
    hits,
    note: `Nothing has the quoted words side by side; found without the quotes.${note ? ` ${note}` : ''}`,
  };
}

async function searchAsAsked(deps: SearchDeps, request: SearchRequest): Promise<SearchAnswer> {
  const { kind } = request;
  if (isDerived(kind)) return searchDerived(deps, { ...request, kind });
  const { store, config, clock = Date.now, meaning } = deps;
  const question = await readQuestion(request.query, { now: clock(), config });
  const state = await (meaning?.ready() ?? withoutVectors(store));
  const { keywords } = question;
  const { places } = state;
  const isSubagents = (row: number) => ((places.flags[places.placeOf(row)] ?? 0) & flag.subagent) !== 0;
  const found = await store.rankKeywords(keywords, { ...request.filter, limit: mostByWords }, isSubagents);
  const { cosines, vector, note } = await compare(state, question, found.rarity, (vectors, query) =>
    vectors.scan(query),
  );
  const input: RankInput = {
    places,
    scope: await scopeOf(store, places, request.filter),
    words: found.rows
      .map((row, i) => ({ place: places.placeOf(row), score: found.scores[i] as number }))
      .filter(({ place }) => place >= 0),
    cosines,
    wordsOnly: keywords.phrases.length > 0,
    speaker: question.speaker,
    times: question.times,
  };
  const chosen = await kinds[kind]({ store, state, question, input, limit: request.limit });
  floats.giveBack(cosines);
  bytes.giveBack(input.scope);
  const by = state.search?.instant ? state.search : undefined;
  const hits = chosen.map(async ({ candidate, ...hit }): Promise<Hit> => {
    const { entry, project, title } = candidate.found;
    return {
      ...hit,
      session: entry.session,
      project,
      agent: entry.agent,
      at: entry.at,
      score: candidate.score,
      snippet: await shown(entry.text, question, by, vector),
      why: reasons(candidate, question),
      title,
    };
  });
  return { hits: await Promise.all(hits), ...(note === undefined ? {} : { note }) };
}

interface Found {
  readonly store: Store;
  readonly state: MeaningState;
  readonly question: Question;
  readonly input: RankInput;
  readonly limit: number;
}

type Chosen = Pick<Hit, 'kind' | 'id' | 'role' | 'subagent' | 'abandoned' | 'gone'> & {
  readonly candidate: Candidate<EntryAt>;
};

/** What a hit in entries can be. */
const kinds: Readonly<Record<Exclude<HitKind, DerivedKind>, (found: Found) => Promise<Chosen[]>>> = {
  async entry(found) {
    return (await candidates(found, rankEntries(found.input, looked(found.limit)), false)).map((candidate) => {
      const { id, role, subagent, abandoned, gone } = candidate.found.entry;
      return {
        kind: 'entry',
        id,
        candidate,
        role,
        ...(subagent === undefined ? {} : { subagent }),
        ...(abandoned ? { abandoned } : {}),
        ...(gone ? { gone } : {}),
      };
    });
  },
  async session(found) {
    const { session } = found.state.places;
    const best = grouped(rankAlone(found.input), (place) => session[place]);
    return (await candidates(found, [...best.values()], true)).map((candidate) => ({
      kind: 'session',
      id: candidate.found.entry.session,
      candidate,
    }));
  },
  async conversation(found) {
    const { rowid } = found.state.places;
    const alone = rankAlone(found.input).slice(0, mostGrouped);
    const conversations = await found.store.conversationsAt(alone.map(({ place }) => rowid[place] as number));
    const best = grouped(alone, (place) => conversations.get(rowid[place] as number));
    const ids = new Map([...best].map(([id, { place }]) => [place, id]));
    return (await candidates(found, [...best.values()], true)).map((candidate) => ({
      kind: 'conversation',
      id: String(ids.get(candidate.place)),
      candidate,
    }));
  },
};

/** The best, with their texts. */
async function candidates(
  { store, state, question, limit }: Found,
  ranked: readonly Ranked[],
  isPart: boolean,
): Promise<Candidate<EntryAt>[]> {
  const { places, search: vectors } = state;
  const some = ranked.slice(0, looked(limit));
  const found = await store.entriesAt(some.map(({ place }) => places.rowid[place] as number));
  const texts = new Map<number, EntryAt>(found.map((one) => [places.placeOf(one.row), one]));
  return refine(some, {
    read: texts,
    textOf: ({ entry }) => entry.text,
    names: question.names,
    similarity: vectors?.similarity,
    isPart,
    limit,
  });
}

/** Where nobody holds the places in memory, they are read for this one search. */
async function withoutVectors(store: Store): Promise<MeaningState> {
  const index = openEntryIndex(store, undefined, 0);
  await index.load();
  return { places: index.places };
}

/** 1 where the filter lets an entry be found; undefined where it lets all. */
async function scopeOf(
  store: Store,
  places: Places,
  filter: SearchRequest['filter'] = {},
): Promise<Uint8Array | undefined> {
  const { project, agent, group, role, since, until, subagents = false } = filter;
  const { flags, at, session } = places;
  let wanted: Uint8Array | undefined;
  const markSessions = (rows: readonly number[], value: 0 | 1) => {
    wanted ??= new Uint8Array(places.sessionCount).fill(1 - value);
    for (const row of rows) {
      const number = places.sessionOf(row);
      if (number >= 0) wanted[number] = value;
    }
  };
  if (project !== undefined || agent !== undefined || group !== undefined)
    markSessions(await store.sessionRows({ project, agent, group }), 1);
  else {
    // Few belong to groups: these are looked for, and not all the others.
    const ofGroups = await store.groupedSessionRows();
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
  if (byRole >= 0) keep((place) => places.role[place] === byRole);
  if (since !== undefined) keep((place) => (at[place] as number) >= since);
  if (until !== undefined) keep((place) => (at[place] as number) < until);
  return scope;
}

/** Of all places, in a function of its own: what a closure holds is read anew at every step. */
function mark(scope: Uint8Array, flags: Uint8Array, not: number): void {
  for (let place = 0; place < scope.length; place++) scope[place] = ((flags[place] as number) & not) === 0 ? 1 : 0;
}
