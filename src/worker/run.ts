// The worker: watches for transcripts that grow, keeps the statuses of conversations moving, and does nothing else while nothing happens.
import fs from 'node:fs';
import type { Agent } from '../agents/agent.ts';
import { agents } from '../agents/index.ts';
import { type IngestDeps, ingestSources } from '../capture/ingest.ts';
import { fileQueue } from '../capture/queue.ts';
import { fileSource } from '../capture/sources.ts';
import { type Watch, watchFolder } from '../capture/watch.ts';
import { explain, systemCode } from '../errors.ts';
import type { IngestReport } from '../schema/ingest-report.ts';

/** How often a processing attempt may fail before the conversation is given up, with the reason. */
const maxAttempts = 3;

/** Runs until the signal; resolves when the last transaction is finished and every watch is closed. */
export async function runWorker(
  deps: IngestDeps & { scan: () => Promise<IngestReport>; log: (line: string) => void },
  signal: AbortSignal,
): Promise<void> {
  const { store, config, clock, log } = deps;
  const complain = (error: unknown) => {
    if (signal.aborted) return;
    const { message, hint } = explain(error, 'the worker');
    log(hint === undefined ? message : `${message}. ${hint}`);
  };

  /** A scan that failed, for want of space say, is tried again with the next poll. */
  let scanDue = false;
  async function scanAll(): Promise<void> {
    scanDue = false;
    try {
      const report = await deps.scan();
      if (report.files.imported > 0)
        log(`imported ${report.entries.added} entries from ${report.files.imported} transcripts`);
      for (const problem of report.problems) log(problem.message);
    } catch (error) {
      scanDue = true;
      complain(error);
    }
  }

  const queue = fileQueue(
    async (file) => {
      const size = sizeOf(file);
      // A transcript that is gone keeps its entries.
      if (size === undefined || signal.aborted) return;
      const source = fileSource(config, { path: file, size }, config.home);
      if (source === undefined) return;
      const pass = await ingestSources({ ...deps, signal, progress: undefined }, [source], false);
      for (const problem of pass.problems) log(problem.message);
    },
    (_, error) => complain(error),
  );

  const watches: Watch[] = [];
  const watchAgent = async (agent: Agent) => {
    const root = config.watchPath(agent);
    watches.push(
      await watchFolder(root, (file) => agent.isTranscript(file), {
        file: queue.add,
        root: () => void scanAll(),
        error: complain,
      }),
    );
  };
  await Promise.all(agents.filter((agent) => config.enabled(agent)).map(watchAgent));
  await scanAll();

  async function poll(): Promise<void> {
    try {
      const gapMs = config.settings.conversationGapMinutes * 60_000;
      await store.markReady(clock(), { gapMs, minEntries: config.settings.minConversationMessages });
      await store.requeueExpired(clock(), maxAttempts);
      queue.retry();
      if (scanDue) await scanAll();
    } catch (error) {
      complain(error);
    }
  }
  await poll();
  const timer = setInterval(() => void poll(), config.settings.pollIntervalMs);

  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(timer);
  await Promise.all(watches.map((watch) => watch.close()));
  await queue.idle();
}

function sizeOf(file: string): number | undefined {
  try {
    const stat = fs.statSync(file);
    return stat.isFile() ? stat.size : undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
