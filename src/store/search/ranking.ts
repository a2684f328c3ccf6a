// The best entries by BM25, as rows and scores only: without texts, thousands are cheap.

import { everyone } from '../../schema/group.ts';
import { entryScope, sessionConditions } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import { entryConditions, expression, quoted, standing, toTerm } from './keywords.ts';
import type { KeywordFilter, KeywordTerm, SearchPort } from './port.ts';

/** A word in more than this share of the searched entries does not help to tell them apart. */
const commonShare = 0.3;
/** Below this number of entries, no word counts as common. */
const leastEntries = 100;
/**
 * BM25 is the expensive part, so only entries with a rare term are ranked.
 * Rare terms match at most this share of all entries.
 */
const rareShare = 0.08;
/** This many are nearly free; more than `manyEntries` would take too long. */
const fewEntries = 2000;
const manyEntries = 20_000;
/** A phrase is required, so all entries with it are wanted. */
const mostWithPhrase = 10_000;

/** A row and its score as FTS5 returns it: more negative is better. */
type Scored = readonly [number, number];

interface Counted {
  readonly term: string;
  readonly matches: number;
  readonly of: number;
}

/** The indexes for ranking, and the weight of each of their columns. */
const indexes = {
  text: { table: 'entries_fts', weights: '' },
  uses: { table: 'uses_fts', weights: ', 1.0, 0.7' },
} as const;

export function keywordRanking(connection: Connection): Pick<SearchPort, 'rankKeywords' | 'rankToolUses'> {
  const { read: run } = connection;
  return { rankKeywords: ranking(connection, run, indexes.text), rankToolUses: ranking(connection, run, indexes.uses) };
}

function ranking(
  connection: Connection,
  run: <T>(work: () => T) => T,
  { table, weights }: (typeof indexes)[keyof typeof indexes],
): SearchPort['rankKeywords'] {
  const docs = connection.statement<[], number>(`SELECT count(*) FROM ${table}_docsize`).pluck();
  const total = () => docs.get() ?? 0;
  const counter = termCounting(connection, table, total);
  const bySubagent = connection
    .statement<[number], number>('SELECT subagent IS NOT NULL FROM entries WHERE id = ?')
    .pluck();
  const select = `SELECT f.rowid, bm25(${table}${weights}) AS score FROM ${table} f WHERE ${table} MATCH ?`;

  function rank(
    matches: readonly string[],
    filter: KeywordFilter,
    limit: number,
    isSubagents: (row: number) => boolean,
  ): readonly Scored[] {
    // The plus in these conditions keeps SQLite from querying the index once per row of the list.
    const { where: conditions, values } = entryScope(connection, filter);
    const own = entryConditions(filter);
    if (own.conditions.length > 0) {
      conditions.push(`EXISTS (SELECT 1 FROM entries e WHERE e.id = f.rowid AND ${own.conditions.join(' AND ')})`);
      values.push(...own.values);
    }
    const where = conditions.map((condition) => ` AND ${condition}`).join('');
    const ranked = connection.statement<unknown[], Scored>(`${select}${where} ORDER BY score, f.rowid LIMIT ?`).raw();
    const best = (most: number) =>
      matches.map((match) => ranked.all(match, ...values, most)).reduce((a, b) => merged(a, b, most));
    if (filter.subagents === true) return best(limit);
    // Checking every match for a subagent would take as long as ranking it.
    const some = best(limit);
    if (!some.some(([row]) => isSubagents(row))) return some;
    return best(2 * limit)
      .filter(([row]) => !isSubagents(row))
      .slice(0, limit);
  }

  return async (query, filter, isSubagents = (row) => bySubagent.get(row) === 1) =>
    run(() => {
      const counted = counter(filter);
      const rarity = query.terms.map((term) => {
        const { matches, of } = counted(toTerm(term));
        return Math.log((of + 1) / (matches + 1));
      });
      const phrases = query.phrases.map(quoted);
      const standingTerms = standing(query, (term: KeywordTerm) => counted(toTerm(term)).matches).map(counted);
      const known = standingTerms.filter(({ matches }) => matches > 0).sort((a, b) => a.matches - b.matches);
      const telling = known.filter(({ matches, of }) => of < leastEntries || matches <= commonShare * of);
      const terms = telling.length > 0 ? telling : known;
      if (terms.length + phrases.length === 0) return { rows: [], scores: [], rarity };
      const limit = phrases.length > 0 ? mostWithPhrase : filter.limit;
      const ranked = rank(
        phrases.length > 0 ? [whole(terms, phrases)] : parted(terms, total()),
        filter,
        limit,
        isSubagents,
      );
      return { rows: ranked.map(([row]) => row), scores: ranked.map(([, score]) => -score), rarity };
    });
}

/** Counts the entries with a term: within the requested sessions if it may be common there, otherwise in all. */
function termCounting(connection: Connection, table: string, total: () => number) {
  const count = connection.statement<[string], number>(`SELECT count(*) FROM ${table} WHERE ${table} MATCH ?`).pluck();
  return ({ project, agent, group, starred, tag }: KeywordFilter): ((term: string) => Counted) => {
    const entries = total();
    const { where, values } = sessionConditions(connection, { project, agent, group: group ?? everyone, starred, tag });
    const sizes = connection.statement<unknown[], number>(
      `SELECT coalesce(sum(s.entries + s.subagent_entries), 0) FROM sessions s WHERE ${where.join(' AND ') || '1'}`,
    );
    const size = where.length === 0 ? entries : (sizes.pluck().get(...values) ?? 0);
    const inScope = `SELECT count(*) FROM ${table} f WHERE ${table} MATCH ? AND +f.rowid IN
      (SELECT x.id FROM sessions s JOIN entries x ON x.session_id = s.id WHERE ${where.join(' AND ')})`;
    const known = new Map<string, Counted>();
    return (term) => {
      let counted = known.get(term);
      if (counted === undefined) {
        const matches = count.get(term) ?? 0;
        counted =
          size > entries / 2 || matches <= commonShare * size
            ? { term, matches, of: entries }
            : {
                term,
                matches:
                  connection
                    .statement<unknown[], number>(inScope)
                    .pluck()
                    .get(term, ...values) ?? 0,
                of: size,
              };
        known.set(term, counted);
      }
      return counted;
    };
  };
}

/**
 * Leaves out entries that match only common terms. It queries entries with and without a common term beside a rare
 * one separately, so that SQLite never walks through all entries of a common term.
 */
function parted(terms: readonly Counted[], entries: number): string[] {
  const most = Math.min(manyEntries, Math.max(fewEntries, rareShare * entries));
  let rare = 0;
  for (let sum = 0; rare < terms.length; rare++) {
    sum += terms[rare]?.matches ?? 0;
    if (rare > 0 && sum > most) break;
  }
  if (rare === terms.length) return [whole(terms)];
  const [some, others] = [whole(terms.slice(0, rare)), whole(terms.slice(rare))];
  return [`(${some}) AND (${others})`, `(${some}) NOT (${others})`];
}

const whole = (terms: readonly Counted[], phrases: readonly string[] = []): string =>
  expression(
    terms.map(({ term }) => term),
    phrases,
  );

/** The best of two sorted lists. */
function merged(a: readonly Scored[], b: readonly Scored[], most: number): Scored[] {
  const all: Scored[] = [];
  for (let [i, j] = [0, 0]; all.length < most && (i < a.length || j < b.length); ) {
    const [x, y] = [a[i], b[j]];
    const isFirst = y === undefined || (x !== undefined && (x[1] - y[1] || x[0] - y[0]) < 0);
    all.push((isFirst ? x : y) as Scored);
    if (isFirst) i++;
    else j++;
  }
  return all;
}
