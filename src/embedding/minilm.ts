// The embedder `minilm`: better than the built-in table, and a hundred times slower. The thread starts with the first text.
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { type ErrorCode, HoldfastError } from '../errors.ts';
import { packageRoot } from '../package.ts';
import type { Embedder } from './embedder.ts';
import { checkModel, type EmbedTexts, modelsFolder, openMiniLm } from './minilm-model.ts';
import type { ThreadAnswer } from './minilm-thread.ts';

interface Running {
  readonly embed: EmbedTexts;
  close(): Promise<void>;
}

export function miniLmEmbedder({ home }: Pick<Config, 'home'>): Embedder {
  const folder = modelsFolder(home);
  let running: Promise<Running> | undefined;

  async function embed(texts: readonly string[]): Promise<(Int8Array | undefined)[]> {
    running ??= start(folder);
    try {
      return await (await running).embed(texts);
    } catch (error) {
      // Whatever was wrong may be mended by the next time.
      await (await running.catch(() => undefined))?.close();
      running = undefined;
      throw error;
    }
  }

  return {
    model: 'all-MiniLM-L6-v2 int8 v1',
    instant: false,
    batch: 32,
    embed,
    query: async (text) => (await embed([text]))[0],
    async close() {
      await (await running?.catch(() => undefined))?.close();
      running = undefined;
    },
  };
}

async function start(folder: string): Promise<Running> {
  checkModel(folder);
  // From source, as tests run it, there is no file that a thread could load.
  if (import.meta.url.endsWith('.ts')) return { embed: await openMiniLm(folder), close: async () => {} };
  const thread = new Worker(path.join(packageRoot, 'dist', 'embedding', 'minilm-thread.js'), { workerData: folder });
  // It must not keep a process alive that has nothing else to do.
  thread.unref();
  const waiting = new Map<
    number,
    { resolve(vectors: (Int8Array | undefined)[]): void; reject(error: unknown): void }
  >();
  let ended: Error | undefined;
  let last = 0;
  const fail = (error: Error) => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
    thread.unref();
  };
  thread.on('error', fail);
  thread.on('exit', () => fail(new HoldfastError('INTERNAL', 'The thread that runs MiniLM has ended')));
  thread.on('message', (answer: ThreadAnswer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) thread.unref();
    if ('vectors' in answer) asked?.resolve(answer.vectors);
    else {
      const { code, message, hint } = answer.error;
      asked?.reject(new HoldfastError(code as ErrorCode, message, hint === undefined ? {} : { hint }));
    }
  });
  return {
    embed: (texts) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        const id = ++last;
        waiting.set(id, { resolve, reject });
        thread.ref();
        thread.postMessage({ id, texts });
      }),
    close: async () => void (await thread.terminate()),
  };
}
