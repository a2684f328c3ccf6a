// The sessions of the picker: all that an agent can resume, with their last lines.
import type { Config } from '../../../config/config.ts';
import { search } from '../../../operations/recall/search.ts';
import { isSearchable } from '../../../recall/question/words.ts';
import type { AgentName } from '../../../schema/agent-name.ts';
import type { Session } from '../../../schema/session.ts';
import type { Store } from '../../../store/store.ts';
import { type Choice, keyOf, ofSession, type Said } from './choice.ts';
import { openSearcher } from './searcher.ts';
import type { Source } from './source.ts';

export interface Library extends Source {
  /** Newest first, without sessions that no agent can resume. */
  sessions(): Promise<readonly Session[]>;
  sessionOf(choice: Choice): Promise<Session | undefined>;
}

const mostHits = 50;
const mostLines = 40;

export function openLibrary(
  { config, store }: { readonly config: Config; readonly store: Pick<Store, 'sessions'> },
  agent: AgentName | undefined,
): Library {
  const searcher = openSearcher(config);
  let known: Promise<readonly Session[]> | undefined;
  const sessions = () => {
    known ??= store.sessions
      .list(agent === undefined ? {} : { agent })
      .then((all) => all.filter(({ resume }) => resume));
    return known;
  };
  const sessionOf = async ({ key }: Pick<Choice, 'key'>) => (await sessions()).find((one) => keyOf(one) === key);

  return {
    sessions,
    sessionOf,
    async search(words) {
      if (!isSearchable(words)) return [];
      const { hits } = await searcher.search(
        search.input.parse({ query: words, kind: 'session', limit: mostHits, agent }),
      );
      const byKey = new Map((await sessions()).map((session) => [keyOf(session), session]));
      return hits.flatMap((hit) => {
        const session = hit.agent && byKey.get(keyOf({ agent: hit.agent, id: hit.session }));
        return session ? [ofSession(session, hit.snippet)] : [];
      });
    },
    /** Its last lines, oldest first. */
    async preview(choice) {
      const session = await sessionOf(choice);
      if (session === undefined) return [];
      const { entries } = await store.sessions.ending(session.agent, session.id);
      const lines = entries.flatMap(({ author, text }) =>
        text
          .slice(-4000)
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line): Said => ({ by: author === 'person' ? 'person' : 'other', text: line })),
      );
      return lines.slice(-mostLines);
    },
    close: () => searcher.close(),
  };
}
