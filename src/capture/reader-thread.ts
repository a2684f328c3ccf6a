// Transcripts are read and parsed in a thread of its own, while the thread that called it commits. Where reading stands still, on a line
// that no rule was made for, the thread is ended, the file is set aside, and the caller goes on.
import path from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { Agent } from '../agents/agent.ts';
import { agentNamed } from '../agents/index.ts';
import { packageRoot } from '../package.ts';
import type { Source } from './chunk.ts';
import { type Reading, readBatches, type Work } from './reader.ts';
import { lookEveryMs, watchdog } from './watchdog.ts';

/** How many batches may wait to be committed: it bounds the memory. */
const ahead = 2;
/** A thread takes a moment to start: one that has nothing to do stays a while for the next file. */
const idleMs = 20_000;
/** JavaScript is interrupted at once. */
const endingMs = 5000;

interface Order {
  readonly work: Omit<Work, 'sources' | 'beat'> & {
    readonly sources: readonly (Omit<Source, 'agent'> & { agent: string })[];
  };
  /** Source and position of the line that is being read; no source while the thread waits. */
  readonly beat: SharedArrayBuffer;
}

type Answer = { readonly batch: Reading[] } | { readonly done: true };

let idle: Worker | undefined;
let leaving: NodeJS.Timeout | undefined;

function takeThread(): Worker {
  const thread = idle ?? new Worker(path.join(packageRoot, 'dist', 'reader-thread.js'));
  idle = undefined;
  clearTimeout(leaving);
  thread.ref();
  return thread;
}

function giveBack(thread: Worker): void {
  // By name: without one, the listeners go by which the thread itself hears that somebody listens, and no message would come any more.
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
  thread.unref();
  if (idle !== undefined) return void thread.terminate();
  idle = thread;
  const forget = () => {
    if (idle === thread) idle = undefined;
  };
  thread.once('exit', forget).once('error', forget);
  leaving = setTimeout(() => {
    forget();
    void thread.terminate();
  }, idleMs).unref();
}

/**
 * The same batches as `readBatches`, read ahead in another thread. Where reading stands still for the budget, the last batch says so of
 * that source, and those after it have no end: they are to be read again.
 */
export async function* readBatchesAhead(
  work: Work,
  budgetMs: number,
  signal?: AbortSignal,
): AsyncGenerator<Reading[], void, void> {
  // From source, as tests run it, there is no file that a thread could load.
  if (import.meta.url.endsWith('.ts')) return yield* readBatches(work);
  const thread = takeThread();
  const ready: Reading[][] = [];
  let ended = false;
  let done = false;
  let failure: unknown;
  let wake: () => void = () => {};
  thread.on('message', (answer: Answer) => {
    if ('batch' in answer) ready.push(answer.batch);
    else done = true;
    wake();
  });
  thread.on('error', (error) => {
    failure = error;
    wake();
  });
  thread.on('exit', () => {
    ended = true;
    wake();
  });
  const stop = () => wake();
  signal?.addEventListener('abort', stop);
  const beat = new SharedArrayBuffer(16);
  const place = new Float64Array(beat);
  place[0] = -1;
  const look = watchdog(() =>
    (place[0] as number) < 0 ? undefined : { source: place[0] as number, pos: place[1] as number },
  );
  let stuck: ReturnType<typeof look>;
  const timer = setInterval(() => {
    stuck ??= look();
    if (stuck !== undefined) wake();
  }, lookEveryMs(budgetMs)).unref();
  const sources = work.sources.map((source) => ({ ...source, agent: source.agent.name }));
  const { beat: _, ...given } = work;
  thread.postMessage({ work: { ...given, sources }, beat } satisfies Order);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const batch = ready.shift();
      if (batch !== undefined) {
        thread.postMessage('taken');
        yield batch;
      } else if (stuck !== undefined) {
        yield [{ source: stuck.source, end: { as: 'set aside', pos: stuck.pos } }];
        return;
      } else if (failure !== undefined) throw failure;
      else if (done || ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
    if (done && !ended) giveBack(thread);
    else await endThread(thread);
  }
}

/** What is written in another language cannot be interrupted: then only the whole process can be ended. What was committed is kept. */
async function endThread(thread: Worker): Promise<void> {
  const timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), endingMs);
  await thread.terminate();
  clearTimeout(timer);
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  let sent = 0;
  let taken = 0;
  let wake: () => void = () => {};
  const read = async ({ work, beat }: Order) => {
    const place = new Float64Array(beat);
    const sources = work.sources.map((source) => ({ ...source, agent: agentNamed(source.agent) as Agent }));
    const note = (source: number, pos: number) => {
      place[1] = pos;
      place[0] = source;
    };
    [sent, taken] = [0, 0];
    for (const batch of readBatches({ ...work, sources, beat: note })) {
      place[0] = -1;
      port.postMessage({ batch } satisfies Answer);
      sent++;
      while (sent - taken >= ahead) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    place[0] = -1;
    port.postMessage({ done: true } satisfies Answer);
  };
  port.on('message', (message: Order | 'taken') => {
    if (message === 'taken') {
      taken++;
      wake();
    } else
      read(message).catch((error: unknown) => {
        // As an error of the thread: the caller throws it.
        setImmediate(() => {
          throw error;
        });
      });
  });
}
