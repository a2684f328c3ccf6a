// A scan in a process of its own: what a large import allocates is gone with it, and the worker stays small.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { IngestDeps } from '../capture/ingest.ts';
import { type ErrorCode, HoldfastError } from '../errors.ts';
import type { IngestReport } from '../schema/ingest-report.ts';
import { program } from './process.ts';

/** `holdfast ingest` on the same data folder, without what the worker does at leisure; its progress, its report and its errors are as if it ran here. */
export async function ingestApart({
  config,
  progress,
  signal,
}: Pick<IngestDeps, 'config' | 'progress' | 'signal'>): Promise<IngestReport> {
  const child = spawn(process.execPath, [program, 'ingest', '--json', '--later'], {
    env: config.environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const stop = () => child.kill();
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  child.on('message', (message) => progress?.(message as Parameters<NonNullable<typeof progress>>[0]));
  try {
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const [report, complaint] = await Promise.race([
      Promise.all([said(child.stdout), said(child.stderr), ended]),
      failed,
    ]);
    signal?.throwIfAborted();
    if (report.startsWith('{')) return JSON.parse(report) as IngestReport;
    throw failure(complaint);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

const said = async (stream: Readable | null): Promise<string> => (stream === null ? '' : text(stream));

function failure(complaint: string): HoldfastError {
  const line = complaint.split('\n').find((one) => one.startsWith('{"error":'));
  if (line === undefined) return new HoldfastError('INTERNAL', `The import ended unexpectedly: ${complaint.trim()}`);
  const { error } = JSON.parse(line) as { error: { code: ErrorCode; message: string; hint?: string } };
  return new HoldfastError(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint });
}
