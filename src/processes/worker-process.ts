// The one background worker of a data folder: start, stop, status. The worker itself takes the claim $home/worker.pid.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { version as ownVersion, packageRoot } from '../package.ts';
import { errorCodes, HoldfastError } from '../system/errors.ts';
import { openLogFile, rotateLog } from '../system/log.ts';
import { claim, type Holder, holderOf, sameProcess } from './claim.ts';

/** The part of the configuration that is needed here. */
export interface WorkerPlace {
  readonly home: string;
  readonly logPath: string;
}

export type WorkerStatus =
  | { readonly running: true; readonly pid: number; readonly since: string; readonly version?: string }
  | { readonly running: false };

const claimFile = (place: Pick<WorkerPlace, 'home'>): string => path.join(place.home, 'worker.pid');

export const program = path.join(packageRoot, 'bin', 'holdfast');
const command: readonly string[] = [process.execPath, program, 'worker', 'run'];

/** For the worker itself: `other` is the pid of a worker that already runs; then nothing was taken. */
export async function claimWorker(
  place: Pick<WorkerPlace, 'home'>,
  version = ownVersion(),
): Promise<{ release(): void; lost(): boolean; other?: number }> {
  const result = await claim(claimFile(place), version);
  return result.held ? result : { release: () => {}, lost: () => true, other: result.holder.pid };
}

export async function workerStatus(place: Pick<WorkerPlace, 'home'>): Promise<WorkerStatus> {
  const holder = await holderOf(claimFile(place));
  if (holder === undefined) return { running: false };
  const { pid, since, version } = holder;
  return { running: true, pid, since, ...(version === undefined ? {} : { version }) };
}

/**
 * Starts a worker that outlives this process, unless one runs; resolves once it holds the claim and stays up. Replaces
 * a worker of an older version; keeps one of a newer version, because an older program cannot open what it has written.
 */
export async function startWorker(
  place: WorkerPlace,
  [file = '', ...args]: readonly string[] = command,
  { patienceMs = 15_000, version = ownVersion() }: { patienceMs?: number; version?: string } = {},
): Promise<{ pid: number; alreadyRunning: boolean }> {
  const before = await holderOf(claimFile(place));
  if (before !== undefined && !isOlder(before.version, version)) return { pid: before.pid, alreadyRunning: true };
  if (before !== undefined) await end(before);

  mkdirSync(path.dirname(place.logPath), { recursive: true, mode: 0o700 });
  rotateLog(place.logPath);
  const log = openLogFile(place.logPath);
  const child = spawn(file, args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  let ended: string | undefined;
  let exit: number | null = null;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    exit = code;
    ended ??= signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
  });
  child.unref();

  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const status = await workerStatus(place);
    // Another process started a worker first; ours sees that too and ends.
    if (status.running && status.pid !== child.pid) return { pid: status.pid, alreadyRunning: true };
    if (status.running) {
      // A failure right after the claim (for example, a damaged store) shows within this time.
      await sleep(settleMs);
      if (ended === undefined) return { pid: status.pid, alreadyRunning: false };
    }
    if (ended !== undefined) {
      const winner = await workerStatus(place);
      if (winner.running) return { pid: winner.pid, alreadyRunning: true };
      throw exit === errorCodes.DISK_FULL.exit ? diskFull(place) : failure(place, ended);
    }
    await sleep(25);
  }
  child.kill('SIGKILL');
  throw failure(place, `it was not ready within ${Math.round(patienceMs / 1000)} s`);
}

const settleMs = 250;

/** Asks the worker to end, and kills it if it does not. Never signals a process that only has the worker's old pid. */
export async function stopWorker(
  place: Pick<WorkerPlace, 'home'>,
  patienceMs = 10_000,
): Promise<{ stopped: boolean; pid?: number }> {
  const holder = await holderOf(claimFile(place));
  if (holder === undefined) return { stopped: false };
  await end(holder, patienceMs);
  return { stopped: true, pid: holder.pid };
}

async function end(holder: Holder, patienceMs = 10_000): Promise<void> {
  signal(holder, 'SIGTERM');
  if (await gone(holder, patienceMs)) return;
  signal(holder, 'SIGKILL');
  await gone(holder, patienceMs);
}

/** Compares by number; of equal versions a pre-release (1.0.0-beta.1) comes first. */
export function isOlder(theirs: string | undefined, ours: string | undefined): boolean {
  if (theirs === undefined || ours === undefined) return theirs === undefined && ours !== undefined;
  const [[a = '', aPre], [b = '', bPre]] = [theirs.split('-', 2), ours.split('-', 2)];
  const numbers = a.localeCompare(b, 'en', { numeric: true });
  if (numbers !== 0) return numbers < 0;
  if (aPre === undefined || bPre === undefined) return aPre !== undefined && bPre === undefined;
  return aPre.localeCompare(bPre, 'en', { numeric: true }) < 0;
}

function signal(holder: Holder, name: NodeJS.Signals): void {
  try {
    process.kill(holder.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function gone(holder: Holder, patienceMs: number): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  while (await sameProcess(holder)) {
    if (Date.now() > deadline) return false;
    await sleep(25);
  }
  return true;
}

/** The one reason that the log cannot record. */
const diskFull = (place: WorkerPlace): HoldfastError =>
  new HoldfastError('DISK_FULL', `The worker did not start: no space left on the disk that holds ${place.home}`, {
    hint: 'Free some space, then try again; nothing is lost.',
  });

function failure(place: WorkerPlace, reason: string): HoldfastError {
  const log = existsSync(place.logPath) ? readFileSync(place.logPath, 'utf8').trimEnd() : '';
  const tail = log.split('\n').slice(-8).join('\n');
  const message = `The worker did not start: ${reason}${tail === '' ? '' : `\n${tail}`}`;
  return new HoldfastError('INTERNAL', message, { hint: `The whole log: ${place.logPath}` });
}
