// A separate thread reads and parses transcripts while the calling thread commits. If reading hangs on a line that no rule was made for,
// the caller ends the thread, sets the file aside and continues.
import path from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { Agent } from '../agents/agent.ts';
import { agentNamed } from '../agents/index.ts';
import { packageRoot } from '../package.ts';
import type { Source } from './chunk.ts';
import { type Reading, readBatches, type Work } from './reader.ts';
import { lookEveryMs, watchdog } from './watchdog.ts';

/** How many batches may wait for a commit. This bounds memory. */
const ahead = 2;
/** Starting a thread takes a moment, so an idle one stays a while for the next file. */
const idleMs = 20_000;
/** JavaScript stops at once; a thread that has not ended after this time is stuck in native code. */
const endingMs = 5000;

interface Order {
  readonly work: Omit<Work, 'sources' | 'beat' | 'leavesVectors'> & {
    readonly sources: readonly (Omit<Source, 'agent'> & { agent: string })[];
  };
  /** Source and position of the line being read, source −1 while the thread waits; then the number of batches that the caller has taken. */
  readonly beat: SharedArrayBuffer;
}

type Answer = { readonly batch: Reading[] } | { readonly done: true };

let idle: Worker | undefined;
let leaving: NodeJS.Timeout | undefined;

/** Parsed lines are garbage soon. V8 would give them three times 16 MB; half of that costs hardly any time. */
const youngMb = 24;

const startThread = (): Worker =>
  new Worker(path.join(packageRoot, 'dist', 'reader-thread.js'), {
    resourceLimits: { maxYoungGenerationSizeMb: youngMb },
  });

/** Starts the thread before there is an order for it. The caller opens the store and looks for files while the thread loads. */
export function startAhead(): void {
  if (idle !== undefined || runsFromSource) return;
  const thread = startThread();
  thread.unref();
  keepIdle(thread);
}

// Tests run from source, where there is no built file that a thread could load.
const runsFromSource = import.meta.url.endsWith('.ts');

function takeThread(): Worker {
  const thread = idle ?? startThread();
  idle = undefined;
  clearTimeout(leaving);
  thread.ref();
  return thread;
}

function giveBack(thread: Worker): void {
  // Remove listeners by event name: without a name, Node's internal listeners would go too, and no message would arrive any more.
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
  thread.unref();
  if (idle !== undefined) return void thread.terminate();
  keepIdle(thread);
}

function keepIdle(thread: Worker): void {
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
 * Yields the same batches as `readBatches`, read ahead in another thread. If reading hangs for the whole budget, the last batch sets that
 * source aside. The sources after it then have no end, and the caller must read them again.
 */
export async function* readBatchesAhead(
  work: Work,
  budgetMs: number,
  signal?: AbortSignal,
): AsyncGenerator<Reading[], void, void> {
  if (runsFromSource) return yield* readBatches(work);
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
  const beat = new SharedArrayBuffer(24);
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
  const { beat: _, leavesVectors: __, ...given } = work;
  thread.postMessage({ work: { ...given, sources }, beat } satisfies Order);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const batch = ready.shift();
      if (batch !== undefined) {
        place[2] = (place[2] as number) + 1;
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

/** Native code cannot be interrupted, so this kills the whole process if the thread does not end. Committed work is kept. */
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
    // If no batch waits for the caller, it soon has nothing to do. The number is shared memory, because a busy thread sees no message.
    const leavesVectors = () => sent === place[2];
    for (const batch of readBatches({ ...work, sources, beat: note, leavesVectors })) {
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
        // Thrown outside the promise, so that it becomes an error of the thread, which the caller rethrows.
        setImmediate(() => {
          throw error;
        });
      });
  });
}
