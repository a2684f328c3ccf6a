// Texts → vectors in a separate thread: a model blocks the thread that calls it, and the worker's thread must answer searches. One end
// asks, the other answers.
import path from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { packageRoot } from '../package.ts';
import { type ErrorCode, explain, HoldfastError } from '../system/errors.ts';

type Read<V> = (texts: readonly string[]) => Promise<V[]> | V[];

type Answer<V> =
  | { readonly id: number; readonly vectors: V[] }
  | { readonly id: number; readonly error: { code: string; message: string; hint: string | undefined } };

/** In the thread: answers with the result of `open`. If opening fails, the next texts try again. `name` is for messages. */
export function answerTexts<V>(name: string, open: () => Promise<Read<V>> | Read<V>): void {
  if (isMainThread || parentPort === null) return;
  const port = parentPort;
  let opened: Promise<Read<V>> | undefined;
  port.on('message', async ({ id, texts }: { id: number; texts: readonly string[] }) => {
    try {
      opened ??= Promise.resolve(open());
      const read = await opened;
      port.postMessage({ id, vectors: await read(texts) } satisfies Answer<V>);
    } catch (error) {
      opened = undefined;
      const { code, message, hint } = explain(error, name);
      port.postMessage({ id, error: { code, message, hint } } satisfies Answer<V>);
    }
  });
}

export interface TextThread<V> {
  ask(texts: readonly string[]): Promise<V[]>;
  end(): void;
}

/** Starts dist/`file`. It does not keep an otherwise idle process alive. `ended` is called once, however it ends. */
export function startTextThread<V>(
  name: string,
  file: string,
  { data, ended }: { readonly data?: unknown; ended(): void },
): TextThread<V> {
  const thread = new Worker(path.join(packageRoot, 'dist', file), {
    workerData: data,
    // Texts come and go by the thousand: without a limit, tens of megabytes wait for garbage collection.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  thread.unref();
  const waiting = new Map<number, { resolve(vectors: V[]): void; reject(error: unknown): void }>();
  let failure: Error | undefined;
  let last = 0;
  const fail = (error: Error) => {
    if (failure !== undefined) return;
    failure = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    ended();
  };
  thread.on('error', fail);
  thread.on('exit', () => fail(new HoldfastError('INTERNAL', `The thread that runs ${name} has ended`)));
  thread.on('message', (answer: Answer<V>) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) thread.unref();
    if ('vectors' in answer) return asked?.resolve(answer.vectors);
    const { code, message, hint } = answer.error;
    asked?.reject(new HoldfastError(code as ErrorCode, message, hint === undefined ? {} : { hint }));
  });
  return {
    ask: (texts) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        const id = ++last;
        waiting.set(id, { resolve, reject });
        thread.ref();
        thread.postMessage({ id, texts });
      }),
    end: () => void thread.terminate(),
  };
}
