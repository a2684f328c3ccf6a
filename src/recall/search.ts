// ④ Recall: query → ranked hits, each with reasons. Every entry is compared by words and by meaning; the kind says what a hit is.
import type { Config } from '../config/config.ts';
import { type Entry, saidOrUsed } from '../schema/entry.ts';
import type { Hit, HitKind } from '../schema/hit.ts';
import { type DerivedKind, isDerived } from '../schema/hit-text.ts';
import { withCommas } from '../schema/with-commas.ts';
import type { EntryAt } from '../store/entries/port.ts';
import type { KeywordFilter, KeywordRanking } from '../store/search/port.ts';
import type { Store } from '../store/store.ts';
import { calledSo } from './called.ts';
import { searchDerived } from './derived.ts';
import { formsOf } from './question/forms.ts';
import { looksLikeCommit, type Question, readQuestion, withoutQuotes } from './question/question.ts';
import { withCues } from './question/with-cues.ts';
import { longestQuery } from './question/words.ts';
import { compare } from './ranking/compare.ts';
import { type Coverage, coverageOf, mostCovered } from './ranking/coverage.ts';
import { type Features, featureNames } from './ranking/features.ts';
import { grouped, type Ranked, type RankInput, rankAlone } from './ranking/rank.ts';
import { rankSessions } from './ranking/rank-sessions.ts';
import { rankInTurns, type Weighed } from './ranking/rank-turns.ts';
import { sessionFeatureNames } from './ranking/session-weights.ts';
import { spread } from './ranking/spread.ts';
import { type Candidate, refine } from './refine.ts';
import { withoutReports } from './reports.ts';
import { scopeOf } from './scope.ts';
import { shown } from './shown/shown.ts';
import { toolsShown } from './shown/tools-shown.ts';
import { reasons } from './shown/why.ts';
import { openEntryIndex } from './vectors/entry-index.ts';
import { flag, type Meaning, type MeaningState } from './vectors/index.ts';
import { bytes, floats } from './vectors/scratch.ts';

export interface SearchDeps {
  readonly store: Pick<Store, 'conversations' | 'distilled' | 'entries' | 'search' | 'sessions' | 'vectors'>;
  readonly config?: Config | undefined;
  readonly clock?: (() => number) | undefined;
  readonly meaning?: Meaning | undefined;
}

export interface SearchRequest {
  readonly query: string;
  readonly kind: HitKind;
  /** `file` is for observations and summaries, the speaker for entries. */
  readonly filter?: Omit<KeywordFilter, 'limit'> & { readonly file?: string | undefined };
  readonly limit: number;
  /** Of entries: after this many hits of one session, hits of other sessions come first. */
  readonly perSession?: number | undefined;
  /** Whether hits list the features that they were ranked by. */
  readonly explain?: boolean | undefined;
  /** Whether the answer names the entry of each hit. */
  readonly withEntries?: boolean | undefined;
}

export interface SearchAnswer {
  readonly hits: Hit[];
  /** With `withEntries`: the entry by which each hit was found, in the order of the hits. Absent for derived kinds. */
  readonly entries?: readonly Entry[] | undefined;
  /** Why something cannot be found, if that is known. */
  readonly note?: string | undefined;
}

/** How many entries with words of the query are ranked. Later ones cannot reach the first ten. */
const mostByWords = 1000;
/** How many matches are grouped into conversations. */
const mostGrouped = 5000;
/** How many entries are grouped into sessions. */
const mostOfSessions = 2500;
/** How many entries are ranked if none of their sessions may fill the list. */
const mostSpread = 1500;
/** How many texts are read closely before ranking, if the background has not done so yet. */
const readBefore = 40;
/** How many rows are read to see which entries contain which terms. */
const mostOfTerms = 20_000;
/** How many are considered with their texts. */
const looked = (limit: number): number => 2 * limit + 30;
/** For how many the texts and tools are compared with the question. */
const lookedWithCues = (limit: number): number => looked(limit) + 100;

const onlyBeginning = `The query is long: only its first ${withCommas(longestQuery)} characters were used.`;

/**
 * Quoted phrases are required. If a sentence quotes something that occurs nowhere, they are not, and the note says so: a person who asks
 * about a book by its title still wants to find what was said about it.
 */
export async function search(deps: SearchDeps, whole: SearchRequest): Promise<SearchAnswer> {
  if (whole.query.length <= longestQuery) return searchWithin(deps, whole);
  // Only complete characters: no model or index accepts half of one.
  const query = whole.query.slice(0, longestQuery).toWellFormed();
  const { note, ...found } = await searchWithin(deps, { ...whole, query });
  return { ...found, note: note === undefined ? onlyBeginning : `${onlyBeginning} ${note}` };
}

async function searchWithin(deps: SearchDeps, request: SearchRequest): Promise<SearchAnswer> {
  const answer = await searchAsAsked(deps, request);
  const query = answer.hits.length === 0 ? withoutQuotes(request.query) : undefined;
  if (query === undefined) return answer;
  const { note, ...found } = await searchAsAsked(deps, { ...request, query });
  if (found.hits.length === 0) return answer;
  return {
    ...found,
    note: `Nothing has the quoted words side by side; found without the quotes.${note ? ` ${note}` : ''}`,
  };
}

async function searchAsAsked(deps: SearchDeps, asked: SearchRequest): Promise<SearchAnswer> {
  const { kind } = asked;
  if (isDerived(kind)) return searchDerived(deps, { ...asked, kind });
  const request = { ...asked, filter: { ...asked.filter, subagents: findsSubagents(asked) } };
  const { store, config, clock = Date.now, meaning } = deps;
  const question = await readQuestion(request.query, { now: clock(), config });
  const state = await (meaning?.ready() ?? withoutVectors(store));
  const first = await comparedWith(deps, request, question, state);
  const best = () =>
    first
      .ranked()
      .slice(0, readBefore)
      .map(({ place }) => place);
  const isRead = (await state.search?.readClosely(best)) === true;
  if (!isRead || meaning === undefined) return answerFrom(deps, request, question, state, first);
  first.giveBack();
  const current = await meaning.ready();
  return answerFrom(deps, request, question, current, await comparedWith(deps, request, question, current));
}

/**
 * What a subagent did is the work of the session that started it, so that session is always a hit. An entry of a subagent is one unless
 * the filter leaves it out. Conversations are without subagents.
 */
export const findsSubagents = ({ kind, filter }: Pick<SearchRequest, 'kind' | 'filter'>): boolean =>
  kind === 'session' || (kind === 'entry' && filter?.subagents !== false);

interface Compared {
  readonly input: RankInput;
  /** The best entries, as many as the kind of hit needs. Ranked at the first call. */
  ranked(): readonly Weighed[];
  readonly vector: Int8Array | undefined;
  readonly note: string | undefined;
  /** Returns its large arrays to the pool. */
  giveBack(): void;
}

/** Compares the query with every entry, by words and by meaning. */
async function comparedWith(
  { store }: SearchDeps,
  request: SearchRequest,
  question: Question,
  state: MeaningState,
): Promise<Compared> {
  const { keywords } = question;
  const { places } = state;
  const isSubagents = (row: number) => ((places.flags[places.placeOf(row)] ?? 0) & flag.subagent) !== 0;
  const found = await store.search.rankKeywords(keywords, { ...request.filter, limit: mostByWords }, isSubagents);
  const { cosines, vector, note } = await compare(
    state,
    question,
    found.rarity,
    (vectors, query) => vectors.scan(query),
    places.hasTools ? 'sessions with tools' : 'conversations',
  );
  const atPlaces = ({ rows, scores }: KeywordRanking) =>
    rows
      .map((row, i) => ({ place: places.placeOf(row), score: scores[i] as number }))
      .filter(({ place }) => place >= 0);
  const scope = await scopeOf(store, places, request.filter);
  const input: RankInput = {
    places,
    scope,
    words: atPlaces(found),
    uses: places.hasTools
      ? atPlaces(await store.search.rankToolUses(keywords, { ...request.filter, limit: mostByWords }, isSubagents))
      : [],
    coverage: places.hasTools ? await covered(store, question, found.rarity, { places, scope }) : undefined,
    cosines,
    wordsOnly: keywords.phrases.length > 0,
    speaker: question.speaker,
    times: question.times,
    subagentsAlike: request.kind === 'session',
  };
  const most =
    request.kind === 'session'
      ? mostOfSessions
      : Math.max(lookedWithCues(request.limit), request.perSession === undefined ? 0 : mostSpread);
  let ranked: readonly Weighed[] | undefined;
  return {
    input,
    ranked() {
      ranked ??= rankInTurns(input, most);
      return ranked;
    },
    vector,
    note,
    giveBack() {
      floats.giveBack(cosines);
      bytes.giveBack(input.scope);
    },
  };
}

/** How much of the question entries, turns and sessions contain. Rare terms come first: they say most, and have few rows. */
async function covered(
  store: SearchDeps['store'],
  { keywords }: Question,
  rarity: readonly number[],
  among: Pick<RankInput, 'places' | 'scope'>,
): Promise<Coverage> {
  const forms = formsOf(keywords)
    .map((term, i) => ({ term, rarity: rarity[i] ?? 0 }))
    .sort((a, b) => b.rarity - a.rarity)
    .slice(0, mostCovered)
    .map(({ term }) => term);
  const rows = await store.search.termRows(forms, mostOfTerms);
  return coverageOf(
    among,
    rows.filter((some) => some !== undefined),
  );
}

async function answerFrom(
  { store }: SearchDeps,
  request: SearchRequest,
  question: Question,
  state: MeaningState,
  { input, ranked, vector, note, giveBack }: Compared,
): Promise<SearchAnswer> {
  const { places } = state;
  const { keywords } = question;
  const kind = request.kind as Exclude<HitKind, DerivedKind>;
  const { limit, perSession } = request;
  const chosen = await kinds[kind]({ store, state, question, input, ranked, limit, perSession });
  giveBack();
  const by = state.search?.instant ? state.search : undefined;
  const tools = await toolsShown(
    { store, places, keywords },
    chosen.map(({ candidate }) => ({ id: candidate.found.entry.id, place: candidate.place })),
  );
  const hits = chosen.map(async ({ candidate, because = [], ...hit }): Promise<Hit> => {
    const { entry, project, title } = candidate.found;
    return {
      ...hit,
      session: entry.session,
      project,
      agent: entry.agent,
      at: entry.at,
      score: candidate.score,
      snippet: await shown(entry.text, question, by, vector),
      ...tools.get(entry.id)?.shown,
      why:
        because.length > 0 && candidate.words + candidate.meaning === 0
          ? [...because]
          : [...because, ...reasons(candidate, question, tools.get(entry.id)?.words)],
      ...(request.explain ? explained(candidate, kind === 'session' && places.hasTools) : {}),
      title,
    };
  });
  return {
    hits: await Promise.all(hits),
    ...(request.withEntries ? { entries: chosen.map(({ candidate }) => candidate.found.entry) } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

/** The features of a hit that are not 0, by name. */
function explained(
  { features }: { readonly features?: Features | undefined },
  ofSession: boolean,
): Pick<Hit, 'features'> {
  if (features === undefined) return {};
  const named = (ofSession ? sessionFeatureNames : featureNames).map(
    (name, i) => [name, Math.round((features[i] as number) * 1000) / 1000] as const,
  );
  return { features: Object.fromEntries(named.filter(([, value]) => value !== 0)) };
}

interface Found {
  readonly store: Pick<Store, 'conversations' | 'entries' | 'sessions'>;
  readonly state: MeaningState;
  readonly question: Question;
  readonly input: RankInput;
  readonly ranked: Compared['ranked'];
  readonly limit: number;
  readonly perSession?: number | undefined;
}

type Chosen = Pick<Hit, 'kind' | 'id' | 'role' | 'subagent' | 'abandoned' | 'gone'> & {
  readonly candidate: Candidate<EntryAt>;
  /** Reasons in addition to those of the entry. */
  readonly because?: readonly string[];
};

/** What a hit in entries can be. */
const kinds: Readonly<Record<Exclude<HitKind, DerivedKind>, (found: Found) => Promise<Chosen[]>>> = {
  async entry(found) {
    const { store, state, question, limit, perSession } = found;
    const { places } = state;
    const about = { store, places, question: question.text };
    const sessionOf = ({ place }: Ranked) => places.session[place];
    const most = perSession ?? Number.POSITIVE_INFINITY;
    const { first, beyond } = spread(found.ranked(), most, sessionOf);
    const isEnough = perSession === undefined || first.length >= looked(limit);
    const best = perSession === undefined ? first : [...first, ...beyond].slice(0, looked(limit));
    const ranked = await withCues(about, best, lookedWithCues(limit));
    // If a session exceeds its share, hits of others may have to take their places: all are needed.
    const chosen = await candidates(isEnough ? found : { ...found, limit: ranked.length }, ranked, false);
    const again = isEnough ? { first: chosen, beyond: [] } : spread(chosen, most, sessionOf);
    const read = [...again.first, ...again.beyond];
    return read.slice(0, limit).map((candidate) => {
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
    const { store, state, question, input, limit } = found;
    const { places } = state;
    const about = { store, places, question: question.text };
    const ranked = places.hasTools
      ? rankSessions(
          input,
          await withCues(about, found.ranked(), lookedWithCues(limit)),
          looksLikeCommit(question.text) ? 'commit' : 'question',
        )
      : rankAlone(input);
    const best = grouped(ranked, (place) => places.session[place]);
    const called = await calledSo(store, input, question, best);
    const inOrder = [...called.values(), ...[...best].flatMap(([session, one]) => (called.has(session) ? [] : [one]))];
    return (await candidates(found, inOrder, true)).map((candidate) => {
      const name = called.get(places.session[candidate.place] as number);
      const { session, subagent } = candidate.found.entry;
      return {
        kind: 'session',
        id: session,
        candidate,
        because: [
          ...(name === undefined ? [] : [name.because]),
          ...(subagent === undefined ? [] : ['a subagent worked on it']),
        ],
      };
    });
  },
  async conversation(found) {
    const { rowid } = found.state.places;
    const alone = rankAlone(found.input).slice(0, mostGrouped);
    const conversations = await found.store.conversations.at(alone.map(({ place }) => rowid[place] as number));
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
  const found = await store.entries.at(some.map(({ place }) => places.rowid[place] as number));
  const texts = new Map<number, EntryAt>(found.map((one) => [places.placeOf(one.row), one]));
  return refine(isPart ? some : await withoutReports(store, some, texts), {
    read: texts,
    textOf: ({ entry }) => saidOrUsed(entry),
    // Two entries without words are not the same because one tool was used in both.
    saidBy: ({ entry }) => entry.text.trim(),
    isSum: places.hasTools && !isPart,
    names: question.names,
    similarity: vectors?.similarity,
    isPart,
    limit,
  });
}

/** If no process holds the places in memory, read them for this one search. */
async function withoutVectors(store: Pick<Store, 'vectors'>): Promise<MeaningState> {
  const index = openEntryIndex(store, undefined, 0);
  await index.load();
  return { places: index.places };
}
