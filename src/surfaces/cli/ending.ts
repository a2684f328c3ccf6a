// How a command ends when it is asked to: in order, and in any case.
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Operation } from '../../operations/operation.ts';
import { packageRoot } from '../../package.ts';
import type { GuardDeps } from './guard-thread.ts';

/** As long as `worker stop` waits before it does the same. */
const graceMs = 10_000;

/** Ctrl+C: every command stops at the next safe point. */
export function endOnInterrupt(stop: AbortController): void {
  process.on('SIGINT', () => end(stop, 130));
}

/**
 * Without this, SIGTERM ends the process at once: right for a command that only reads. Resolves when the command is guarded, which nothing
 * has to wait for: what computes begins later.
 */
export async function endOnTermination({ ending }: Pick<Operation, 'ending'>, stop: AbortController): Promise<void> {
  if (ending === undefined) return;
  process.on('SIGTERM', () => end(stop, 143));
  if (ending === 'guarded') await guard();
}

function end(stop: AbortController, code: number): void {
  // The second time, the person means it.
  if (stop.signal.aborted) process.exit(code);
  stop.abort();
  process.exitCode = code;
}

async function guard(): Promise<void> {
  // From source, as tests run it, there is no file that a thread could load.
  if (import.meta.url.endsWith('.ts')) return;
  const deps: GuardDeps = { graceMs, parent: process.channel ? process.ppid : undefined };
  const thread = new Worker(path.join(packageRoot, 'dist', 'guard-thread.js'), {
    workerData: deps,
    // It holds next to nothing.
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  await new Promise<void>((resolve) => {
    thread.once('message', () => resolve());
    // Where it cannot run, the command still ends by its own handler.
    thread.once('error', () => resolve());
  });
}
