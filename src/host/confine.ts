// A process in a sandbox: started, listened to, and ended with everything that it has started.
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Config } from '../config/config.ts';
import { openPace, type PaceLimits } from './pace.ts';
import type { Confined, Sandbox } from './sandbox/sandbox.ts';

export interface ConfinedProcess {
  /** Its pid. Rejects when it could not start. */
  readonly started: Promise<number>;
  /** Contract: never rejects. Nothing of it is left, here or with an engine. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** What it writes to its standard output and error. */
  lines(take: (line: string) => void): void;
  kill(): void;
  /** Kills it if it still runs by then. */
  endWithin(ms: number): void;
}

export async function confine(sandbox: Sandbox, config: Config, confined: Confined): Promise<ConfinedProcess> {
  const { file, args, environment, cwd, input, end } = await sandbox.command(confined, config);
  // A separate session: keys that a person presses for the host do not reach it, and it can be ended as a group.
  const child = spawn(file, args, {
    ...{ env: environment, cwd, detached: true },
    stdio: ['ignore', 'pipe', 'pipe', ...(input === undefined ? [] : (['pipe'] as const))],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const given = (child.stdio as readonly unknown[])[3] as Writable | undefined;
  // A command that could not start reads nothing; `started` says so.
  given?.on('error', () => {}).end(input);
  const started = new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid as number));
    child.once('error', reject);
  });
  // The caller awaits it later. Until then, a failed start must not crash the host as an unhandled rejection.
  started.catch(() => {});
  const kill = () => {
    if (child.pid !== undefined) signalGroup(child.pid);
  };
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => child.pid === undefined && resolve({ code: null, signal: null }));
  }).then(async (exit) => {
    // Ends what the first process left behind.
    kill();
    if (end !== undefined && child.pid !== undefined) await runToEnd(end, environment);
    return exit;
  });
  return {
    started,
    exited,
    lines(take) {
      const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
      for (const stream of [child.stdout, child.stderr]) void readLines(stream, hasEnded, take);
    },
    kill,
    endWithin(ms) {
      const timer = setTimeout(kill, ms);
      timer.unref();
      void exited.then(() => clearTimeout(timer));
    },
  };
}

/** The log holds no longer ones. */
const longestLine = 4000;
const linesPace: PaceLimits = { burst: 1000, perSecond: 200 };

/**
 * Reads no faster than the host can handle lines, and keeps only the beginning of a long one: the process may write anything. Lines of an
 * ended process that would have to wait are left out.
 */
async function readLines(stream: Readable, hasEnded: () => boolean, take: (line: string) => void): Promise<void> {
  const pace = openPace(linesPace);
  let line = '';
  try {
    for await (const text of stream.setEncoding('utf8') as AsyncIterable<string>) {
      const [first = '', ...others] = text.split('\n');
      line = (line + first).slice(0, longestLine);
      for (const next of others) {
        const rest = pace.take(1);
        if (rest !== undefined && hasEnded()) return;
        await rest;
        take(line);
        line = next.slice(0, longestLine);
      }
    }
    if (line !== '') take(line);
  } catch {
    // The pipe broke, which ends the lines.
  }
}

/** The result does not matter: the next host removes what this command could not. */
const runToEnd = ([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((resolve) => {
    execFile(file, args, { env, timeout: 30_000 }, () => resolve());
  });

/** Ends a process that `confine` has started, with its children. */
export function signalGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The process is gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
