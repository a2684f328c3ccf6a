// The best entries by BM25, as rows and scores alone: thousands of them cost little without their texts.
import type { Database } from 'better-sqlite3';
import type { KeywordFilter, KeywordTerm, Store } from '../store.ts';
import { sessionConditions } from './read.ts';
import { entryConditions, expression, quoted, standing, toTerm } from './search.ts';

/** A word that more of the entries in question hold tells none of them from the others. */
const commonShare = 0.3;
/** Of fewer entries no word is common. */
const leastEntries = 100;
/** Computing BM25 is what costs: only entries with one of the rare terms are ranked, which match at most this share of all. */
const rareShare = 0.08;
/** So many cost next to nothing; more would take too long. */
const fewEntries = 2000;
const manyEntries = 20_000;
/** A phrase must be there, so everything that holds it is wanted. */
const mostWithPhrase = 10_000;

interface Counted {
  readonly term: string;
  readonly matches: number;
  readonly of: number;
}

export function keywordRanking(db: Database, run: <T>(work: () => T) => T): Pick<Store, 'rankKeywords'> {
  const total = db.prepare<[], number>('SELECT count(*) FROM entries_fts_docsize').pluck();
  const count = db.prepare<[string], number>('SELECT count(*) FROM entries_fts WHERE entries_fts MATCH ?').pluck();
  const select = 'SELECT f.rowid, bm25(entries_fts) AS score FROM entries_fts f WHERE entries_fts MATCH ?';

  /** In how many entries a term stands: in the sessions asked for where it may be common there, else in all. */
  function counter({ project, agent, group }: KeywordFilter): (term: string) => Counted {
    const entries = total.get() ?? 0;
    const { where, values } = sessionConditions(db, { project, agent, group });
    const sizes = db.prepare<unknown[], number>(
      `SELECT coalesce(sum(s.entries + s.subagent_entries), 0) FROM sessions s WHERE ${where.join(' AND ') || '1'}`,
    );
    const size = where.length === 0 ? entries : (sizes.pluck().get(...values) ?? 0);
    const inScope = `SELECT count(*) FROM entries_fts f WHERE entries_fts MATCH ? AND +f.rowid IN
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
                  db
                    .prepare<unknown[], number>(inScope)
                    .pluck()
                    .get(term, ...values) ?? 0,
                of: size,
              };
        known.set(term, counted);
      }
      return counted;
    };
  }

  function rank(
    { match, among }: { match: string; among: string | undefined },
    filter: KeywordFilter,
    limit: number,
    isSubagents: ((row: number) => boolean) | undefined,
  ): [number, number][] {
    const conditions: string[] = [];
    const values: (string | number)[] = [];
    if (among !== undefined) {
      // The plus keeps SQLite from asking the index once for each row of the list.
      conditions.push('+f.rowid IN (SELECT rowid FROM entries_fts WHERE entries_fts MATCH ?)');
      values.push(among);
    }
    const sessions = sessionConditions(db, filter);
    if (sessions.where.length > 0) {
      conditions.push(
        `+f.rowid IN (SELECT x.id FROM sessions s JOIN entries x ON x.session_id = s.id WHERE ${sessions.where.join(' AND ')})`,
      );
      values.push(...sessions.values);
    }
    const own = entryConditions(filter);
    if (own.conditions.length > 0) {
      conditions.push(`EXISTS (SELECT 1 FROM entries e WHERE e.id = f.rowid AND ${own.conditions.join(' AND ')})`);
      values.push(...own.values);
    }
    const where = conditions.map((condition) => ` AND ${condition}`).join('');
    const ranked = `${select}${where} ORDER BY score, f.rowid LIMIT ?`;
    const best = (most: number) =>
      db
        .prepare<unknown[], [number, number]>(ranked)
        .raw()
        .all(match, ...values, most);
    if (filter.subagents === true) return best(limit);
    // Asking of every match whether a subagent said it would take as long as ranking it.
    if (isSubagents !== undefined) {
      const some = best(limit);
      if (!some.some(([row]) => isSubagents(row))) return some;
      const more = best(2 * limit).filter(([row]) => !isSubagents(row));
      return more.slice(0, limit);
    }
    const sql = `SELECT r.rowid, r.score FROM (${ranked}) r JOIN entries e ON e.id = r.rowid WHERE e.subagent IS NULL
      ORDER BY r.score, r.rowid LIMIT ?`;
    return db
      .prepare<unknown[], [number, number]>(sql)
      .raw()
      .all(match, ...values, 2 * limit, limit);
  }

  return {
    async rankKeywords(query, filter, isSubagents) {
      return run(() => {
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
        let among: string | undefined;
        if (phrases.length === 0) {
          let rare = 0;
          const most = Math.min(manyEntries, Math.max(fewEntries, rareShare * (total.get() ?? 0)));
          for (let sum = 0; rare < terms.length; rare++) {
            sum += terms[rare]?.matches ?? 0;
            if (rare > 0 && sum > most) break;
          }
          if (rare < terms.length)
            among = expression(
              terms.slice(0, rare).map(({ term }) => term),
              [],
            );
        }
        const match = expression(
          terms.map(({ term }) => term),
          phrases,
        );
        const ranked = rank({ match, among }, filter, phrases.length > 0 ? mostWithPhrase : filter.limit, isSubagents);
        return { rows: ranked.map(([row]) => row), scores: ranked.map(([, score]) => -score), rarity };
      });
    },
  };
}
