// The worker as a process. Its code is loaded only when one of these runs.
import { fstatSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { LiveDeps } from '../capture/hook.ts';
import { ensureHome } from '../config.ts';
import { type Context, operation } from './operation.ts';

export const workerRun = operation({
  name: 'worker run',
  summary: 'Watch for new transcripts in the foreground, until Ctrl+C',
  input: z.object({}),
  output: z.object({ stopped: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast worker run'],
  async run(context) {
    await watch(context);
    return { stopped: true };
  },
});

/** Runs as the worker until the signal says stop; where there is a worker already, only says so. */
export async function watch(context: Context): Promise<void> {
  const { claimWorker } = await import('../worker/process.ts');
  const { config } = context;
  const claim = await claimWorker(config);
  if (claim.other !== undefined) {
    context.say?.(`A worker is watching already (process ${claim.other}).`);
    return;
  }
  try {
    const [{ runWorker }, { ingestApart }, { startHttp }, { openLog }] = await Promise.all([
      import('../worker/run.ts'),
      import('../worker/apart.ts'),
      import('../http/server.ts'),
      import('../log.ts'),
    ]);
    const write = openLog(config.logPath);
    // In the background the log is also where standard output goes; each line should be there once.
    const say = isOutput(config.logPath) ? undefined : context.say;
    const log = (line: string) => {
      write(line);
      say?.(line);
    };
    write(`worker ${process.pid} started`);
    say?.('Watching for new transcripts. Ctrl+C stops; nothing is lost.');
    const signal = context.signal ?? new AbortController().signal;
    const scan = () => ingestApart({ config, signal });
    const listen = (live: LiveDeps) => startHttp({ ...live, log, briefing: async () => '' });
    await runWorker({ ...context, progress: undefined, scan, log, listen }, signal);
    write(`worker ${process.pid} stopped`);
  } finally {
    claim.release();
  }
}

function isOutput(path: string): boolean {
  const [output, file] = [fstatSync(1), statSync(path, { throwIfNoEntry: false })];
  return output.ino === file?.ino && output.dev === file.dev;
}

export const workerStart = operation({
  name: 'worker start',
  summary: 'Start the worker in the background',
  input: z.object({}),
  output: z.object({ pid: z.number().int(), alreadyRunning: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast worker start'],
  withoutStore: true,
  async run({ config }) {
    ensureHome(config);
    const { startWorker } = await import('../worker/process.ts');
    return startWorker(config);
  },
});

export const workerStop = operation({
  name: 'worker stop',
  summary: 'Stop the worker',
  input: z.object({}),
  output: z.object({ stopped: z.boolean(), pid: z.number().int().optional() }),
  surfaces: ['cli'],
  examples: ['holdfast worker stop'],
  withoutStore: true,
  async run({ config }) {
    const { stopWorker } = await import('../worker/process.ts');
    return stopWorker(config);
  },
});

export const workerStatus = operation({
  name: 'worker status',
  summary: 'Say whether the worker runs',
  input: z.object({}),
  output: z.object({ running: z.boolean(), pid: z.number().int().optional(), since: z.string().optional() }),
  surfaces: ['cli'],
  examples: ['holdfast worker status', 'holdfast worker status --json'],
  withoutStore: true,
  async run({ config }) {
    const { workerStatus: status } = await import('../worker/process.ts');
    return status(config);
  },
});
