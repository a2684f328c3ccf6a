// Texts → vectors in a separate thread or process: a model blocks the thread that calls it, and the worker's thread must answer searches.
// One end asks, the other answers.
import { fork } from 'node:child_process';
import path from 'node:path';
import { isMainThread, type MessagePort, parentPort, Worker } from 'node:worker_threads';
import { packageRoot } from '../package.ts';
import { type ErrorCode, explain, HoldfastError } from '../system/errors.ts';

type Read<T, V> = (texts: readonly T[]) => Promise<V[]> | V[];

interface Question<T> {
  readonly id: number;
  readonly texts: readonly T[];
}

type Answer<V> =
  | { readonly id: number; readonly vectors: V[] }
  | { readonly id: number; readonly error: { code: string; message: string; hint: string | undefined } };

/** In the thread: answers with the result of `open`. If opening fails, the next texts try again. `name` is for messages. */
export function answerTexts<V>(name: string, open: () => Promise<Read<string, V>> | Read<string, V>): void {
  if (!isMainThread && parentPort !== null) answerOn(parentPort, name, open);
}

/** Answers on one end of a channel. */
export function answerOn<V>(
  port: MessagePort,
  name: string,
  open: () => Promise<Read<string, V>> | Read<string, V>,
): void {
  let opened: Promise<Read<string, V>> | undefined;
  port.on('message', async (question: Question<string>) => {
    // A failure to open is an answer too, also if it is thrown at once.
    opened ??= Promise.resolve().then(open);
    const read = opened;
    const answer = await answerOf(name, async (texts) => (await read)(texts), question);
    if ('error' in answer) opened = undefined;
    port.postMessage(answer);
  });
}

/** In the process: the same. It ends with the process that started it. */
export function answerAsProcess<T, V>(name: string, read: Read<T, V>): void {
  if (process.send === undefined) return;
  process.on('message', async (question: Question<T>) => process.send?.(await answerOf(name, read, question)));
  process.once('disconnect', () => process.exit());
}

async function answerOf<T, V>(name: string, read: Read<T, V>, { id, texts }: Question<T>): Promise<Answer<V>> {
  try {
    return { id, vectors: await read(texts) };
  } catch (error) {
    const { code, message, hint } = explain(error, name);
    return { id, error: { code, message, hint } };
  }
}

export interface TextThread<T, V> {
  ask(texts: readonly T[]): Promise<V[]>;
  end(): void;
}

/** Starts dist/`file` as a thread. It does not keep an otherwise idle process alive. `ended` is called once, however it ends. */
export function startTextThread<V>(
  name: string,
  file: string,
  { data, ended }: { readonly data?: unknown; ended(): void },
): TextThread<string, V> {
  const thread = new Worker(path.join(packageRoot, 'dist', file), {
    workerData: data,
    // Texts come and go by the thousand: without a limit, tens of megabytes wait for garbage collection.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  const asking = questions<string, V>(`The thread that runs ${name} has ended`, ended, {
    post: (question) => thread.postMessage(question),
    stayAlive: (stay) => (stay ? thread.ref() : thread.unref()),
  });
  thread.on('error', asking.fail);
  thread.on('exit', () => asking.fail());
  thread.on('message', asking.hear);
  return { ask: asking.ask, end: () => void thread.terminate() };
}

/** Starts dist/`file` as a process. The rest is as with a thread. */
export function startTextProcess<T, V>(name: string, file: string, ended: () => void): TextThread<T, V> {
  const child = fork(path.join(packageRoot, 'dist', file), [], {
    serialization: 'advanced',
    execArgv: ['--max-semi-space-size=2'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const asking = questions<T, V>(`The process that runs ${name} has ended`, ended, {
    // A failure to send comes before the end of the process, which is reported.
    post: (question) => child.send(question, () => {}),
    stayAlive(stay) {
      if (stay) {
        child.ref();
        child.channel?.ref();
      } else {
        child.unref();
        child.channel?.unref();
      }
    },
  });
  child.on('error', asking.fail);
  child.on('exit', () => asking.fail());
  child.on('message', (answer) => asking.hear(answer as Answer<V>));
  return { ask: asking.ask, end: () => void child.kill() };
}

/** Which answer belongs to which question. */
function questions<T, V>(
  lost: string,
  ended: () => void,
  { post, stayAlive }: { post(question: Question<T>): unknown; stayAlive(stay: boolean): void },
) {
  const waiting = new Map<number, { resolve(vectors: V[]): void; reject(error: unknown): void }>();
  let failure: Error | undefined;
  let last = 0;
  stayAlive(false);
  return {
    ask: (texts: readonly T[]): Promise<V[]> =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        const id = ++last;
        waiting.set(id, { resolve, reject });
        stayAlive(true);
        post({ id, texts });
      }),
    hear(answer: Answer<V>): void {
      const asked = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (waiting.size === 0) stayAlive(false);
      if ('vectors' in answer) asked?.resolve(answer.vectors);
      else {
        const { code, message, hint } = answer.error;
        asked?.reject(new HoldfastError(code as ErrorCode, message, hint === undefined ? {} : { hint }));
      }
    },
    fail(error: Error = new HoldfastError('INTERNAL', lost)): void {
      if (failure !== undefined) return;
      failure = error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
      ended();
    },
  };
}
