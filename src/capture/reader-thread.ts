// A large import reads and parses in a thread of its own, while the thread that called it commits.
import path from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Agent } from '../agents/agent.ts';
import { agentNamed } from '../agents/index.ts';
import { packageRoot } from '../package.ts';
import type { Source } from './chunk.ts';
import { type Reading, readBatches, type Work } from './reader.ts';

/** How many batches may wait to be committed: it bounds the memory. */
const ahead = 2;

/** The same batches as `readBatches`, read ahead in another thread. */
export async function* readBatchesAhead(work: Work): AsyncGenerator<Reading[], void, void> {
  // From source, as tests run it, there is no file that a thread could load.
  if (import.meta.url.endsWith('.ts')) return yield* readBatches(work);
  const sources = work.sources.map((source) => ({ ...source, agent: source.agent.name }));
  const thread = new Worker(path.join(packageRoot, 'dist', 'capture', 'reader-thread.js'), {
    workerData: { ...work, sources },
  });
  const ready: Reading[][] = [];
  let ended = false;
  let failure: unknown;
  let wake: () => void = () => {};
  thread.on('message', (batch: Reading[]) => {
    ready.push(batch);
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
  try {
    for (;;) {
      const batch = ready.shift();
      if (batch !== undefined) {
        thread.postMessage('taken');
        yield batch;
      } else if (failure !== undefined) throw failure;
      else if (ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    await thread.terminate();
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const given = workerData as Omit<Work, 'sources'> & { sources: (Omit<Source, 'agent'> & { agent: string })[] };
  const sources = given.sources.map((source) => ({ ...source, agent: agentNamed(source.agent) as Agent }));
  let sent = 0;
  let taken = 0;
  let wake: () => void = () => {};
  port.on('message', () => {
    taken++;
    wake();
  });
  for (const batch of readBatches({ ...given, sources })) {
    port.postMessage(batch);
    sent++;
    while (sent - taken >= ahead) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  port.close();
}
