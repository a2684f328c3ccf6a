// Keyword search on FTS5: terms are ORed and ranked by BM25; phrases are required.

import { type EntryRow, entryColumns, toEntry } from '../entries/rows.ts';
import { entryScope, titleOfSession } from '../sessions/rows.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { KeywordFilter, KeywordHit, KeywordQuery, KeywordTerm, SearchPort, UseFilter } from './port.ts';

type Row = EntryRow & { score: number; project: string | null; title: string | null };

interface Ranked {
  readonly rowid: number;
  /** As FTS5 returns it: more negative is better. */
  readonly score: number;
}

const columns = `${entryColumns}, coalesce(p.label, p.name) AS project, ${titleOfSession}`;
const joins = 'JOIN sessions s ON s.id = e.session_id LEFT JOIN projects p ON p.id = s.project_id';

/**
 * The rare terms of a query may match at most this share of all entries. The other terms are left for a second pass.
 */
const rareShare = 0.04;
/**
 * The most that a term adds to a BM25 score, in multiples of its weight: at most 1.69 when an entry has it once, 2.2
 * when it has nothing else. Only common terms beside rarer ones are left out; in the bench, the first ten hits are the
 * same as without this shortcut.
 */
const mostPerTerm = 1.7;

export function keywordSearch(connection: Connection): Pick<SearchPort, 'keywords' | 'keywordCounts'> {
  const { read: run } = connection;
  const total = connection.statement<[], number>('SELECT count(*) FROM entries_fts_docsize').pluck();
  const count = connection
    .statement<[string], number>('SELECT count(*) FROM entries_fts WHERE entries_fts MATCH ?')
    .pluck();
  const fetch = connection.statement<[string], Row>(
    `SELECT ${columns}, json_extract(j.value, '$.score') AS score FROM json_each(?) j
     JOIN entries e ON e.id = json_extract(j.value, '$.rowid') ${joins} ORDER BY j.key`,
  );

  /** The rows of the best matches, without subagents unless wanted. */
  const rowsOf = (ranked: readonly Ranked[], subagents: boolean): Row[] =>
    fetch.all(JSON.stringify(ranked)).filter((row) => subagents || row.subagent === null);

  /**
   * Finds the same hits as ranking every match, for a third of the work. BM25 is the expensive part, so it ranks only
   * entries with a rare term, until the rest could not reach the last rank even with all of their terms.
   */
  function byRareTerms(terms: readonly string[], filter: KeywordFilter): Row[] {
    const { limit, subagents = false } = filter;
    const { conditions, values } = entryConditions(filter);
    const scope = entryScope(connection, filter).where.map((condition) => `AND ${condition}`);
    const only = [
      ...scope,
      ...(conditions.length === 0
        ? []
        : [`AND EXISTS (SELECT 1 FROM entries e WHERE e.id = f.rowid AND ${conditions.join(' AND ')})`]),
    ].join(' ');
    const select = 'SELECT f.rowid, bm25(entries_fts) AS score FROM entries_fts f WHERE entries_fts MATCH ?';
    const best = connection.statement<unknown[], Ranked>(`${select} ${only} ORDER BY score LIMIT ?`);
    // The plus keeps SQLite from querying the index once per row of the list.
    const bestAmong = connection.statement<unknown[], Ranked>(
      `${select} AND +f.rowid IN (SELECT rowid FROM entries_fts WHERE entries_fts MATCH ?) ${only} ORDER BY score LIMIT ?`,
    );
    const entries = total.get() ?? 0;
    const known = rarestFirst(terms, (term) => count.get(term) ?? 0);
    if (known.length === 0) return [];
    const all = anyOf(known);
    const rank = (rare: number, wanted: number): readonly Ranked[] =>
      rare >= known.length
        ? best.all(all, ...values, wanted)
        : bestAmong.all(all, anyOf(known.slice(0, rare)), ...values, wanted);
    let rare = rareAtFirst(known, entries);
    for (let wanted = limit + 20; ; ) {
      const found = rank(rare, wanted);
      const rows = rowsOf(found, subagents);
      const last = rows.length < limit ? 0 : -(rows[limit - 1]?.score ?? 0);
      const enough = rareEnough(known, entries, rare, last);
      if (enough > rare) rare = enough;
      else if (rows.length >= limit || found.length < wanted) return rows.slice(0, limit);
      else wanted *= 4;
    }
  }

  function ranked(match: string, filter: KeywordFilter): Row[] {
    const { where, values } = entryScope(connection, filter);
    const own = entryConditions(filter);
    const conditions = [...where, ...own.conditions];
    if (filter.subagents !== true) conditions.push('e.subagent IS NULL');
    const sql = `SELECT ${columns}, bm25(entries_fts) AS score FROM entries_fts f JOIN entries e ON e.id = f.rowid ${joins}
      WHERE entries_fts MATCH ? ${conditions.map((condition) => `AND ${condition}`).join(' ')} ORDER BY score LIMIT ?`;
    return connection.statement(sql).all(match, ...values, ...own.values, filter.limit) as Row[];
  }

  return {
    async keywordCounts(query) {
      return run(() => ({
        entries: total.get() ?? 0,
        matches: query.terms.map((term) => count.get(toTerm(term)) ?? 0),
      }));
    },
    async keywords(query, filter) {
      if (query.terms.length + query.phrases.length === 0 || filter.limit <= 0) return [];
      const phrases = query.phrases.map(quoted);
      const anywhere =
        phrases.length === 0 &&
        filter.project === undefined &&
        filter.agent === undefined &&
        filter.group === undefined;
      return run(() => {
        const terms = standing(query, (term) => count.get(toTerm(term)) ?? 0);
        return (anywhere ? byRareTerms(terms, filter) : ranked(expression(terms, phrases), filter)).map(toHit);
      });
    },
  };
}

interface CountedTerm {
  readonly term: string;
  readonly matches: number;
}

const rarestFirst = (terms: readonly string[], count: (term: string) => number): readonly CountedTerm[] =>
  terms
    .map((term) => ({ term, matches: count(term) }))
    .filter(({ matches }) => matches > 0)
    .sort((a, b) => a.matches - b.matches);

const anyOf = (terms: readonly CountedTerm[]): string => terms.map(({ term }) => term).join(' OR ');

/** How many terms the first pass requires: the rarest, and as many more as keep the matches few. */
function rareAtFirst(known: readonly CountedTerm[], entries: number): number {
  let sum = 0;
  const tooMany = known.findIndex(({ matches }, i) => {
    sum += matches;
    return i > 0 && sum > rareShare * entries;
  });
  return tooMany < 0 ? known.length : tooMany;
}

/** How many terms a pass must require, so that an entry with only the others cannot exceed the score of the last rank. */
function rareEnough(known: readonly CountedTerm[], entries: number, rare: number, last: number): number {
  const most = ({ matches }: CountedTerm) => mostPerTerm * weight(matches, entries);
  let enough = rare;
  let missed = known.slice(rare).reduce((sum, term) => sum + most(term), 0);
  for (; enough < known.length && missed > last; enough++) missed -= most(known[enough] as CountedTerm);
  return enough;
}

/** All search terms; a term without a match is replaced by its parts. */
export function standing({ terms, variants = [] }: KeywordQuery, count: (term: KeywordTerm) => number): string[] {
  const asked = [...terms, ...variants].flatMap((term) =>
    term.parts !== undefined && count(term) === 0 ? term.parts : [term],
  );
  return [...new Set(asked.map(toTerm))];
}

/** Conditions on an entry `e` itself, not on its session. */
export function entryConditions({ role, since, until, use }: KeywordFilter): {
  conditions: string[];
  values: (string | number)[];
} {
  const wishes: [string, string | number | undefined][] = [
    ['e.role = ?', role],
    ['e.at >= ?', since],
    ['e.at < ?', until],
  ];
  const stated = wishes.filter(([, value]) => value !== undefined) as [string, string | number][];
  const conditions = stated.map(([condition]) => condition);
  const values = stated.map(([, value]) => value);
  if (use !== undefined) {
    const asked = useConditions(use);
    conditions.push(`e.id IN (SELECT t.entry_id FROM tool_uses t WHERE ${asked.conditions.join(' AND ')})`);
    values.push(...asked.values);
  }
  return { conditions, values };
}

/** Conditions on a tool use `t`. */
export function useConditions({ tools, outcome }: UseFilter): { conditions: string[]; values: string[] } {
  const conditions = ['1'];
  const values: string[] = [];
  if (tools !== undefined) {
    conditions.push('t.tool IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(tools));
  }
  if (outcome !== undefined) {
    conditions.push('t.outcome = ?');
    values.push(outcome);
  }
  return { conditions, values };
}

const toHit = (row: Row): KeywordHit => ({
  score: -row.score,
  entry: toEntry(row),
  project: row.project ?? '',
  title: row.title ?? '',
});

/** The inverse document frequency as FTS5 computes it. */
const weight = (matches: number, entries: number): number =>
  Math.max(1e-6, Math.log((entries - matches + 0.5) / (matches + 0.5)));

/** Quotes every word, so that no input can act as syntax. */
export const quoted = (words: readonly string[]): string =>
  `"${words.join(' ').replaceAll('"', ' ').replaceAll('\0', ' ')}"`;
export const toTerm = ({ words, prefix }: KeywordTerm): string => quoted(words) + (prefix ? '*' : '');

/** A query in FTS5 syntax; empty if it has no words. */
export function matchExpression(query: KeywordQuery): string {
  return expression([...query.terms, ...(query.variants ?? [])].map(toTerm), query.phrases.map(quoted));
}

/** Beside a phrase, terms only raise the rank: `phrase AND (phrase OR terms)` matches what the phrase matches. */
export function expression(terms: readonly string[], phrases: readonly string[]): string {
  if (phrases.length === 0) return terms.join(' OR ');
  const required = phrases.join(' AND ');
  return terms.length === 0 ? required : `(${required}) AND (${[...phrases, ...terms].join(' OR ')})`;
}
