// MiniLM: a sentence model, a hundred times slower than the built-in table. The thread starts with the first text.
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { type ErrorCode, HoldfastError } from '../errors.ts';
import { packageRoot } from '../package.ts';
import { checkModel, type EmbedTexts, modelsFolder, openMiniLm } from './minilm-model.ts';
import type { ThreadAnswer } from './minilm-thread.ts';

/** One for a process, and until its end: onnxruntime can be loaded only once. Who indexes and who searches share it. */
const threads = new Map<string, Promise<EmbedTexts>>();

export const miniLmModel = 'all-MiniLM-L6-v2 int8 v1';

/** What MiniLM makes of texts. The thread keeps no process alive that has nothing else to do. */
export function miniLm({ home }: Pick<Config, 'home'>): EmbedTexts {
  const folder = modelsFolder(home);
  return async (texts) => {
    checkModel(folder);
    const running = threads.get(folder) ?? start(folder);
    threads.set(folder, running);
    try {
      return await (await running)(texts);
    } catch (error) {
      // From source there is no thread that would try anew.
      if (import.meta.url.endsWith('.ts')) threads.delete(folder);
      throw error;
    }
  };
}

async function start(folder: string): Promise<EmbedTexts> {
  // From source, as tests run it, there is no file that a thread could load.
  if (import.meta.url.endsWith('.ts')) return openMiniLm(folder);
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
    threads.delete(folder);
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
  return (texts) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      const id = ++last;
      waiting.set(id, { resolve, reject });
      thread.ref();
      thread.postMessage({ id, texts });
    });
}
