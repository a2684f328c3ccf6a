// ④ Recall of data made from entries: observations, summaries, memories. By words and meaning, as for entries; dated memories fade.
import { cosineOf } from '../embedding/embedder.ts';
import type { Hit } from '../schema/hit.ts';
import type { DerivedKind } from '../schema/hit-text.ts';
import type { DerivedAt, DerivedMatch } from '../store/distilled/port.ts';
import type { Store } from '../store/store.ts';
import { type Question, readQuestion } from './question/question.ts';
import { compare } from './ranking/compare.ts';
import { meaningOfEntry, type Ranked, rankAlone, type Standing } from './ranking/rank.ts';
import { type Candidate, refine } from './refine.ts';
import type { SearchAnswer, SearchDeps, SearchRequest } from './search.ts';
import { shown } from './shown/shown.ts';
import { snippet } from './shown/snippet.ts';
import { reasons } from './shown/why.ts';
import { flag, type MeaningSearch, type MeaningState } from './vectors/index.ts';

export type DerivedRequest = SearchRequest & { readonly kind: DerivedKind };

const day = 86_400_000;
/** Hits below this share of the best match contain only common words, and are dropped. */
const leastShare = 0.02;
const looked = (limit: number): number => 2 * limit + 30;

export async function searchDerived(deps: SearchDeps, request: DerivedRequest): Promise<SearchAnswer> {
  const { store, config, clock = Date.now, meaning } = deps;
  const { kind, limit, filter = {} } = request;
  const question = await readQuestion(request.query, { now: clock(), config });
  const matches = await store.distilled.search(kind, question.keywords, filter);
  if (request.query.trim() === '') return { hits: await newest(store, matches, request) };
  const state: Pick<MeaningState, 'search' | 'note'> = (await meaning?.ready()) ?? {};
  // The entries know best how rare a word is.
  const known = await store.search.keywordCounts(question.keywords);
  const rarity = known.matches.map((count) => Math.log((known.entries + 1) / (count + 1)));
  const { cosines, vector, note } = await compare(state, question, rarity, (vectors, query) =>
    vectors.scanSubjects(kind, query),
  );
  const some = rank(matches, question, cosines, {
    kind,
    now: clock(),
    halfLife: (config?.settings.memoryHalfLifeDays ?? 30) * day,
  }).slice(0, looked(limit));
  const chosen = await withTexts(store, { matches, some, question, vectors: state.search, request });
  const by = state.search?.instant ? state.search : undefined;
  const hits = chosen.map(
    async (candidate): Promise<Hit> => ({
      ...hitOf(kind, candidate.found),
      score: candidate.score,
      snippet: await shown(candidate.found.text, question, by, vector),
      why: [...reasons(candidate, question), ...whyFile(filter.file)],
    }),
  );
  return { hits: await Promise.all(hits), ...(note === undefined ? {} : { note }) };
}

/** Places are indexes into `matches`. */
function rank(
  matches: readonly DerivedMatch[],
  question: Question,
  cosines: ReadonlyMap<number, number> | undefined,
  { kind, now, halfLife }: { readonly kind: DerivedKind; readonly now: number; readonly halfLife: number },
): Ranked[] {
  const places: Standing = {
    size: matches.length,
    rowid: Int32Array.from(matches, ({ row }) => row),
    session: new Int32Array(matches.length),
    at: Float64Array.from(matches, ({ at }) => at),
    role: new Uint8Array(matches.length),
    flags: Uint8Array.from(matches, ({ row }) => (cosines?.has(row) ? 0 : flag.noVector)),
  };
  const wordsOnly = question.keywords.phrases.length > 0;
  const best = matches.reduce((most, { score = 0 }) => Math.max(most, score), 0);
  const words = matches.flatMap(({ score }, place) =>
    score === undefined || (score < leastShare * best && !wordsOnly) ? [] : [{ place, score }],
  );
  const ranked = rankAlone(
    {
      places,
      words,
      cosines: cosines && Float32Array.from(matches, ({ row }) => cosines.get(row) ?? 0),
      wordsOnly,
      times: question.times,
      recency: kind !== 'memory',
    },
    meaningOfEntry,
  );
  return ranked
    .map((one) => ({
      ...one,
      score: one.score * freshness(matches[one.place] as DerivedMatch, now, halfLife),
      session: 0,
    }))
    .sort((a, b) => b.score - a.score);
}

/** 1 for new and evergreen memories. Dated ones keep half of their weight after each half-life. */
const freshness = ({ fades, at }: DerivedMatch, now: number, halfLife: number): number =>
  fades ? 2 ** (-Math.max(0, now - at) / halfLife) : 1;

async function withTexts(
  store: Pick<Store, 'distilled' | 'vectors'>,
  given: {
    readonly matches: readonly DerivedMatch[];
    readonly some: readonly Ranked[];
    readonly question: Question;
    readonly vectors: MeaningSearch | undefined;
    readonly request: DerivedRequest;
  },
): Promise<Candidate<DerivedAt>[]> {
  const { matches, some, question, vectors, request } = given;
  const { kind, limit } = request;
  const rowOf = (place: number) => (matches[place] as DerivedMatch).row;
  const rows = some.map(({ place }) => rowOf(place));
  const texts = new Map((await store.distilled.at(kind, rows)).map((one) => [one.row, one]));
  const read = new Map<number, DerivedAt>();
  for (const { place } of some) {
    const found = texts.get(rowOf(place));
    if (found !== undefined) read.set(place, found);
  }
  const held = vectors && (await vectorsOf(store, kind, rows, vectors.model));
  return refine(some, {
    read,
    textOf: ({ title, text }) => `${title}\n${text}`,
    names: question.names,
    similarity: (a, b) => {
      const [one, other] = [held?.get(rowOf(a)), held?.get(rowOf(b))];
      return one === undefined || other === undefined ? 0 : cosineOf(one, other);
    },
    limit,
  });
}

async function vectorsOf(
  store: Pick<Store, 'vectors'>,
  kind: DerivedKind,
  rows: readonly number[],
  model: string,
): Promise<Map<number, Int8Array>> {
  const { ids, vectors } = await store.vectors.of(rows, { kind, model });
  const size = vectors.length / Math.max(1, ids.length);
  return new Map(ids.map((id, i) => [id, vectors.subarray(i * size, (i + 1) * size)]));
}

/** Without words: what passes the filter, in its order. */
async function newest(
  store: Pick<Store, 'distilled'>,
  matches: readonly DerivedMatch[],
  request: DerivedRequest,
): Promise<Hit[]> {
  const { kind, limit, filter } = request;
  const rows = matches.slice(0, limit).map(({ row }) => row);
  return (await store.distilled.at(kind, rows)).map((found, i) => ({
    ...hitOf(kind, found),
    score: 1 / (i + 1),
    snippet: snippet(found.text, { terms: [], phrases: [] }),
    why: whyFile(filter?.file),
  }));
}

const whyFile = (file: string | undefined): string[] => (file === undefined ? [] : [`touched ${file}`]);

const hitOf = (
  kind: DerivedKind,
  { id, session, project, agent, at, title }: DerivedAt,
): Omit<Hit, 'score' | 'snippet'> => ({
  ...{ kind, id, session, project, at, title },
  ...(agent === undefined ? {} : { agent }),
});
