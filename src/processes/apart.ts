// A command in a separate process: its memory is freed when it ends, and the worker stays small and responsive.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { IngestDeps, IngestProgress } from '../capture/ingest.ts';
import type { Config } from '../config/config.ts';
import type { IngestReport } from '../schema/ingest-report.ts';
import { type ErrorCode, HoldfastError } from '../system/errors.ts';
import { yieldProcess } from '../system/priority.ts';
import { program } from './worker-process.ts';

/** `holdfast ingest` on the same data folder; progress, report and errors are as if it ran here. */
export const ingestApart = (given: Pick<IngestDeps, 'config' | 'progress' | 'signal'>): Promise<IngestReport> =>
  runApart(['ingest'], 'The import', given);

interface JobProgress {
  readonly jobs: number;
  readonly totalJobs: number;
}

/** `holdfast process` for due jobs, at low priority. Resolves with the number of jobs done. */
export async function processApart(given: {
  config: Config;
  signal?: AbortSignal;
  progress?: (progress: JobProgress) => void;
}): Promise<number> {
  const { done } = await runApart<{ done: Record<string, number> }, JobProgress>(['process', '--due'], 'Distilling', {
    ...given,
    background: true,
  });
  return Object.values(done).reduce((sum, count) => sum + count, 0);
}

/** Any command on the same data folder; resolves with its answer, even if that reports a failure. */
export async function runApart<Report, Progress = IngestProgress>(
  words: readonly string[],
  name: string,
  {
    config,
    progress,
    signal,
    background = false,
  }: Pick<IngestDeps, 'config' | 'signal'> & {
    progress?: ((progress: Progress) => void) | undefined;
    background?: boolean;
  },
): Promise<Report> {
  const child = spawn(process.execPath, [program, ...words, '--json'], {
    env: { ...config.environment, HOLDFAST_PART: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (background && child.pid !== undefined) yieldProcess(child.pid);
  const stop = () => child.kill();
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  child.on('message', (message) => progress?.(message as Progress));
  try {
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const [report, complaint] = await Promise.race([
      Promise.all([said(child.stdout), said(child.stderr), ended]),
      failed,
    ]);
    signal?.throwIfAborted();
    if (report.startsWith('{')) return JSON.parse(report) as Report;
    throw failure(name, complaint);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

const said = async (stream: Readable | null): Promise<string> => (stream === null ? '' : text(stream));

function failure(name: string, complaint: string): HoldfastError {
  const line = complaint.split('\n').find((one) => one.startsWith('{"error":'));
  if (line === undefined) return new HoldfastError('INTERNAL', `${name} ended unexpectedly: ${complaint.trim()}`);
  const { error } = JSON.parse(line) as { error: { code: ErrorCode; message: string; hint?: string } };
  return new HoldfastError(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint });
}
