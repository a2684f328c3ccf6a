// The hits of a live search, with the lines around the words that were found.
import type { Config } from '../../../config/config.ts';
import { isSearchable } from '../../../recall/question/words.ts';
import type { Hit } from '../../../schema/hit.ts';
import type { Store } from '../../../store/store.ts';
import { type Choice, ofHit, type Said } from './choice.ts';
import type { SearchInput } from './search-answer.ts';
import { openSearcher } from './searcher.ts';
import type { Source } from './source.ts';

export interface Hits extends Source {
  hitOf(choice: Choice): Hit | undefined;
}

/** As many as a person looks through; more words find less. */
const leastHits = 50;
const mostLines = 40;

/** `input` holds the filters. */
export function openHits(
  { config, store }: { readonly config: Config; readonly store: Pick<Store, 'entries'> },
  input: SearchInput,
): Hits {
  const searcher = openSearcher(config);
  let found = new Map<string, Hit>();
  return {
    async search(words) {
      if (!isSearchable(words)) return [];
      const { hits } = await searcher.search({ ...input, query: words, limit: Math.max(input.limit, leastHits) });
      found = new Map(hits.map((hit) => [ofHit(hit).key, hit]));
      return hits.map(ofHit);
    },
    hitOf: ({ key }) => found.get(key),
    async preview({ key }) {
      const hit = found.get(key);
      if (hit === undefined) return [];
      const { kind, agent, session, id, subagent, snippet } = hit;
      if (kind !== 'entry' || agent === undefined) return said(snippet.replaceAll(/[«»]/g, ''), 'other');
      const page = { around: id, limit: 1, subagents: subagent !== undefined };
      const [entry] = (await store.entries.page(agent, session, page)).entries;
      return entry === undefined
        ? []
        : around(said(entry.text, entry.author === 'person' ? 'person' : 'other'), snippet);
    },
    close: () => searcher.close(),
  };
}

const longestText = 100_000;

const said = (text: string, by: Said['by']): Said[] =>
  text
    .slice(0, longestText)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ by, text: line }));

/** Begins at the line before the first marked word. */
function around(lines: readonly Said[], snippet: string): readonly Said[] {
  const [, word] = /«([^»]+)»/.exec(snippet) ?? [];
  const at = word === undefined ? 0 : lines.findIndex(({ text }) => text.includes(word));
  return lines.slice(Math.max(0, at - 1)).slice(0, mostLines);
}
