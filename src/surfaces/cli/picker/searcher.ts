// Searches while a person types. A running worker searches; otherwise a thread of this process does.
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Config } from '../../../config/config.ts';
import { search } from '../../../operations/recall/search.ts';
import { packageRoot } from '../../../package.ts';
import { askWorker } from '../../../processes/access/ask.ts';
import type { Hit } from '../../../schema/hit.ts';
import { type ErrorCode, HoldfastError } from '../../../system/errors.ts';
import type { SearchAnswer, SearchInput } from './search-answer.ts';

export interface Searcher {
  search(input: SearchInput): Promise<{ hits: readonly Hit[] }>;
  close(): Promise<void>;
}

export function openSearcher(config: Config): Searcher {
  let apart: Searcher | undefined;
  return {
    async search(input) {
      const elsewhere = search.viaWorker?.(input);
      const told = elsewhere && ((await askWorker(config, search, elsewhere)) as { hits: Hit[] } | undefined);
      if (told !== undefined) return told;
      apart ??= startThread(config);
      return apart.search(input);
    },
    async close() {
      await apart?.close();
    },
  };
}

/** The first search reads the positions of all entries, which takes a while; a person who types must not notice. */
function startThread(config: Config): Searcher {
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
