// The data of the picker: sessions, their last lines, and search hits. A running worker searches; otherwise a thread of
// this process does.
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Config } from '../../../config/config.ts';
import { search } from '../../../operations/recall/search.ts';
import { packageRoot } from '../../../package.ts';
import { askWorker } from '../../../processes/access/ask.ts';
import { isSearchable } from '../../../recall/question/words.ts';
import type { AgentName } from '../../../schema/agent-name.ts';
import type { Hit } from '../../../schema/hit.ts';
import type { Session } from '../../../schema/session.ts';
import type { Store } from '../../../store/store.ts';
import { type ErrorCode, HoldfastError } from '../../../system/errors.ts';
import type { SearchAnswer, SearchInput } from './search-answer.ts';
import { type Found, keyOf, type Said } from './state.ts';

export interface Library {
  /** Newest first, without sessions that no agent can resume. */
  sessions(): Promise<readonly Session[]>;
  search(words: string): Promise<readonly Found[]>;
  /** Its last lines, oldest first. */
  ending(session: Session): Promise<readonly Said[]>;
  close(): Promise<void>;
}

const mostHits = 50;
const mostLines = 40;

export function openLibrary(
  { config, store }: { readonly config: Config; readonly store: Pick<Store, 'sessions'> },
  agent: AgentName | undefined,
): Library {
  let known: Promise<readonly Session[]> | undefined;
  let apart: Apart | undefined;
  const sessions = () => {
    known ??= store.sessions
      .list(agent === undefined ? {} : { agent })
      .then((all) => all.filter(({ resume }) => resume));
    return known;
  };

  return {
    sessions,
    async search(words) {
      if (!isSearchable(words)) return [];
      const input = search.input.parse({ query: words, kind: 'session', limit: mostHits, agent });
      const told = (await askWorker(config, search, input)) as { hits: Hit[] } | undefined;
      apart ??= told === undefined ? startThread(config) : undefined;
      const { hits } = told ?? (await (apart as Apart).search(input));
      const byKey = new Map((await sessions()).map((session) => [keyOf(session), session]));
      return hits.flatMap((hit) => {
        const session = hit.agent && byKey.get(keyOf({ agent: hit.agent, id: hit.session }));
        return session ? [{ session, snippet: hit.snippet }] : [];
      });
    },
    async ending(session) {
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
    async close() {
      await apart?.close();
    },
  };
}

interface Apart {
  search(input: SearchInput): Promise<{ hits: Hit[] }>;
  close(): Promise<void>;
}

/** The first search reads the positions of all entries, which takes a while; a person who types must not notice. */
function startThread(config: Config): Apart {
  const thread = new Worker(path.join(packageRoot, 'dist', 'search-thread.js'), {
    workerData: { ...config.environment },
  });
  const waiting = new Map<number, { resolve(answer: { hits: Hit[] }): void; reject(error: unknown): void }>();
  let last = 0;
  let ended: Error | undefined;
  const fail = (error: Error) => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  thread.on('error', fail);
  thread.on('exit', () => fail(new HoldfastError('INTERNAL', 'The thread that searches has ended')));
  thread.on('message', (answer: SearchAnswer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('hits' in answer) asked?.resolve(answer);
    else asked?.reject(new HoldfastError(answer.error.code as ErrorCode, answer.error.message));
  });
  return {
    search: (input) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        waiting.set(++last, { resolve, reject });
        thread.postMessage({ id: last, input });
      }),
    async close() {
      await thread.terminate();
    },
  };
}
