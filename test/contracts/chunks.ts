// Chunks made by hand, to test what a store does with them.

import { parseKeywords } from '../../src/recall/question/keywords.ts';
import { emptyState } from '../../src/schema/reader-state.ts';
import type { KeywordFilter } from '../../src/store/search/port.ts';
import type { Store } from '../../src/store/store.ts';
import type { Chunk, NewEntry } from '../../src/store/transcripts/port.ts';

export const rules = { gapMs: 3_600_000, maxEntries: 500, maxChars: 200_000 };
export const base = Date.parse('2026-05-01T12:00:00Z');
export const entry = (uuid: string, text: string, more: Partial<NewEntry> = {}): NewEntry => ({
  uuid,
  session: 's1',
  pos: 0,
  at: base,
  role: 'user',
  author: 'person',
  text,
  tools: [],
  toolUses: [],
  joinsAt: undefined,
  ...more,
});

/** One step in one file. Entries without a position get 0, 10, 20 … */
export function chunk(entries: readonly NewEntry[], more: Partial<Chunk> = {}): Chunk {
  const from = more.from ?? 0;
  const placed = entries.map((each, i) => ({ ...each, pos: from + i * 10 }));
  const sessions = [...new Set(entries.map((each) => each.session))];
  return {
    agent: 'claude-code',
    key: 'p/s1.jsonl',
    root: '/root',
    size: from + entries.length * 10,
    subagent: undefined,
    from,
    to: from + entries.length * 10,
    restart: false,
    last: true,
    lines: entries.length,
    malformed: 0,
    head: 'h',
    tail: 't',
    state: emptyState(),
    bornAt: base,
    status: 'ok',
    sessions: sessions.map((session) => ({ session, cwd: '/w/tide/src', projectPath: '/w/tide', title: undefined })),
    entries: placed,
    results: [],
    ...more,
  };
}

/** Enough words in enough commits that the index has several parts. */
export async function scatter(store: Store): Promise<void> {
  for (let file = 0; file < 14; file++) {
    const entries = Array.from({ length: 400 }, (_, i) => {
      const words = Array.from({ length: 90 }, (_, word) => `w${((file * 400 + i) * 31 + word * 17) % 2000}`);
      return entry(`scattered${file}-${i}`, words.join(' '), { session: `scattered${file}` });
    });
    await store.transcripts.commit([chunk(entries, { key: `scattered${file}.jsonl` })], rules);
  }
}

/** Commits chunks to the store that is open now. */
export const committing =
  (open: () => { readonly store: Store }) =>
  (...chunks: Chunk[]) =>
    open().store.transcripts.commit(chunks, rules);

/** The ids of the entries that have the words, sorted. */
export const finding =
  (open: () => { readonly store: Store }) =>
  async (query: string, filter: Partial<KeywordFilter> = {}): Promise<string[]> =>
    (await open().store.search.keywords(parseKeywords(query), { limit: 20, ...filter }))
      .map((hit) => hit.entry.id)
      .sort();
