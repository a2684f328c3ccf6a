// How a command ends when a signal asks it to: in order if possible, and in any case.
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Operation } from '../../operations/operation.ts';
import { packageRoot } from '../../package.ts';
import type { GuardDeps } from './guard-thread.ts';

/** As long as `worker stop` waits before it kills the process. */
const graceMs = 10_000;

/** Ctrl+C: every command stops at the next safe point. */
export function endOnInterrupt(stop: AbortController): void {
  process.on('SIGINT', () => end(stop, 130));
}

/**
 * Without this, SIGTERM ends the process at once, which is right for a command that only reads. Resolves when the guard
 * thread runs; callers need not wait, because long computations start later.
 */
export async function endOnTermination({ ending }: Pick<Operation, 'ending'>, stop: AbortController): Promise<void> {
  if (ending === undefined) return;
  process.on('SIGTERM', () => end(stop, 143));
  if (ending === 'timed') stop.signal.addEventListener('abort', () => void guard({ heard: true }), { once: true });
  if (ending === 'guarded') await guard().listens;
}

function end(stop: AbortController, code: number): void {
  // A second signal ends the process at once.
  if (stop.signal.aborted) process.exit(code);
  stop.abort();
  process.exitCode = code;
}

/** How long a thread guards after the last call. It takes 9 MB. */
const guardedMs = 30_000;

/**
 * For a command that rests for weeks: call the result when a computation may begin. A thread then ends the process after a signal, however
 * long the computation takes. It ends when nothing has begun for a while. The promise resolves when it listens; callers need not wait.
 */
export function guardWhileBusy(restMs: number = guardedMs): () => Promise<void> {
  let guarding: Guarding | undefined;
  const rest = () => {
    void guarding?.thread?.terminate();
    guarding = undefined;
  };
  const timer = setTimeout(rest, restMs).unref();
  return () => {
    // The thread begins at once, even if this one never comes to rest again.
    guarding ??= guard();
    timer.refresh();
    return guarding.listens;
  };
}

interface Guarding {
  /** Absent when run from source, as in tests: there is no file that a thread could load. */
  readonly thread: Worker | undefined;
  readonly listens: Promise<void>;
}

/** `heard`: the signal has come already. */
function guard({ heard = false } = {}): Guarding {
  if (import.meta.url.endsWith('.ts')) return { thread: undefined, listens: Promise.resolve() };
  const deps: GuardDeps = { graceMs, heard, parent: process.channel ? process.ppid : undefined };
  const thread = new Worker(path.join(packageRoot, 'dist', 'guard-thread.js'), {
    workerData: deps,
    // The thread holds next to nothing.
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  const listens = new Promise<void>((resolve) => {
    thread.once('message', () => resolve());
    // If the thread cannot run, the command still ends by its own handler.
    thread.once('error', () => resolve());
  });
  return { thread, listens };
}
