// Keyword recall on FTS5: terms are ORed and ranked by BM25; phrases must be there.
import type { Database } from 'better-sqlite3';
import type { KeywordHit, KeywordQuery, Store } from '../store.ts';
import { type EntryRow, entryColumns, sessionConditions, toEntry } from './read.ts';

type Row = EntryRow & { rank: number; project: string | null; title: string | null };

const columns = `${entryColumns}, p.name AS project, s.title`;
const joins = 'JOIN sessions s ON s.id = e.session_id LEFT JOIN projects p ON p.id = s.project_id';

export function keywordSearch(db: Database, run: <T>(work: () => T) => T): Pick<Store, 'searchKeywords'> {
  const ranked = db.prepare<[string, number], { rowid: number; rank: number }>(
    'SELECT rowid, rank FROM entries_fts WHERE entries_fts MATCH ? ORDER BY rank LIMIT ?',
  );
  const fetch = db.prepare<[string], Row>(
    `SELECT ${columns}, e.id AS rank FROM json_each(?) j JOIN entries e ON e.id = j.value ${joins} ORDER BY j.key`,
  );
  const toHit = (row: Row): KeywordHit => ({
    score: -row.rank,
    entry: toEntry(row),
    project: row.project ?? '',
    title: row.title ?? '',
  });

  /** Without filters the index alone ranks, and rows are read for the best only. */
  function unfiltered(match: string, limit: number, subagents: boolean): Row[] {
    for (let wanted = limit + 20; ; wanted *= 4) {
      const best = ranked.all(match, wanted);
      const rows = fetch.all(JSON.stringify(best.map((hit) => hit.rowid)));
      rows.forEach((row, i) => {
        row.rank = best[i]?.rank ?? 0;
      });
      const shown = subagents ? rows : rows.filter((row) => row.subagent === null);
      if (shown.length >= limit || best.length < wanted) return shown.slice(0, limit);
    }
  }

  return {
    async searchKeywords(query, filter) {
      const match = toMatch(query);
      if (match === undefined || filter.limit <= 0) return [];
      return run(() => {
        const { where, values } = sessionConditions(db, filter);
        const add = (condition: string, value: string | number | undefined) => {
          if (value === undefined) return;
          where.push(condition);
          values.push(value);
        };
        add('e.role = ?', filter.role);
        add('e.at >= ?', filter.since);
        add('e.at < ?', filter.until);
        if (where.length === 0) return unfiltered(match, filter.limit, filter.subagents === true).map(toHit);
        if (filter.subagents !== true) where.push('e.subagent IS NULL');
        const sql = `SELECT ${columns}, f.rank FROM entries_fts f JOIN entries e ON e.id = f.rowid ${joins}
          WHERE entries_fts MATCH ? AND ${where.join(' AND ')} ORDER BY f.rank LIMIT ?`;
        return (db.prepare(sql).all(match, ...values, filter.limit) as Row[]).map(toHit);
      });
    },
  };
}

/** An FTS5 expression in which every word is a quoted string, so that no input can be syntax. */
function toMatch(query: KeywordQuery): string | undefined {
  const string = (words: readonly string[]) => `"${words.join(' ').replaceAll('"', ' ').replaceAll('\0', ' ')}"`;
  const phrases = query.phrases.map(string);
  const terms = query.terms.map(({ words, prefix }) => string(words) + (prefix ? '*' : ''));
  const required = phrases.join(' AND ');
  if (required === '') return terms.length === 0 ? undefined : terms.join(' OR ');
  // The terms beside a phrase only raise the rank: `phrase AND (phrase OR terms)` has the phrase's matches.
  return terms.length === 0 ? required : `(${required}) AND (${[...phrases, ...terms].join(' OR ')})`;
}
