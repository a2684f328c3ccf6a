// ④ Recall by keyword: query → ranked hits, over entries or grouped by session.
import type { Hit, HitKind } from '../schema/hit.ts';
import type { KeywordFilter, KeywordHit, KeywordQuery, Store } from '../store/store.ts';
import { parseKeywords } from './keywords.ts';
import { snippet } from './snippet.ts';

export interface SearchRequest {
  readonly query: string;
  readonly kind: HitKind;
  readonly filter?: Omit<KeywordFilter, 'limit'>;
  readonly limit: number;
}

export async function search({ store }: { store: Store }, request: SearchRequest): Promise<{ hits: Hit[] }> {
  const query = parseKeywords(request.query);
  if (query.terms.length === 0 && query.phrases.length === 0) return { hits: [] };
  const { kind, limit } = request;
  // A session's rank comes from its entries, so more of them are needed than sessions are asked for.
  const depth = kind === 'session' ? Math.max(200, 20 * limit) : limit;
  const found = await store.searchKeywords(query, { ...request.filter, limit: depth });
  return { hits: kind === 'session' ? sessionHits(found, query, limit) : found.map((hit) => entryHit(hit, query)) };
}

function entryHit({ entry, project, title, score }: KeywordHit, query: KeywordQuery): Hit {
  return {
    kind: 'entry',
    id: entry.id,
    session: entry.session,
    project,
    agent: entry.agent,
    at: entry.at,
    role: entry.role,
    score,
    snippet: snippet(entry.text, query),
    title,
    ...(entry.subagent === undefined ? {} : { subagent: entry.subagent }),
    ...(entry.abandoned ? { abandoned: true } : {}),
  };
}

function sessionHits(found: readonly KeywordHit[], query: KeywordQuery, limit: number): Hit[] {
  const groups = new Map<string, { best: KeywordHit; others: number }>();
  for (const hit of found) {
    const key = `${hit.entry.agent}/${hit.entry.session}`;
    const group = groups.get(key);
    if (!group) groups.set(key, { best: hit, others: 0 });
    else if (hit.score > group.best.score) groups.set(key, { best: hit, others: group.others + group.best.score });
    else group.others += hit.score;
  }
  // The logarithm keeps a long session with many faint matches from beating a short one with the answer.
  const ranked = [...groups.values()].map(({ best, others }) => ({
    best,
    score: best.score + 0.1 * best.score * Math.log1p(Math.max(0, others) / Math.max(best.score, 1e-9)),
  }));
  ranked.sort((a, b) => b.score - a.score);
  return ranked.slice(0, limit).map(({ best, score }) => ({
    kind: 'session',
    id: best.entry.session,
    session: best.entry.session,
    project: best.project,
    agent: best.entry.agent,
    at: best.entry.at,
    score,
    snippet: snippet(best.entry.text, query),
    title: best.title,
  }));
}
