// The real program in separate processes, with a separate home.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';

export const root = path.join(import.meta.dirname, '../..');
export const program = path.join(root, 'bin/holdfast');

export interface Result {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Result>;
  /** Standard output and standard error so far. */
  said(): string;
  /** Resolves when the process has printed the text; fails when the process ends without it. */
  says(text: string | RegExp): Promise<void>;
}

export interface Place {
  readonly folder: string;
  /** The data folder. */
  readonly home: string;
  readonly database: string;
  /** Where the agents of this machine keep their transcripts. */
  readonly claude: string;
  readonly pi: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A folder for this test alone, deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-e2e-'));
  // A process that a failed test leaves may still write there until it is killed.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

/** A machine: a home folder, a data folder, and a folder for each agent's transcripts. The real ones stay hidden. */
export function place(options: { folder?: string; home?: string; claude?: string; pi?: string } = {}): Place {
  const folder = options.folder ?? temporaryFolder();
  const user = path.join(folder, 'user');
  mkdirSync(user, { recursive: true });
  const home = options.home ?? path.join(folder, 'data');
  const claude = options.claude ?? path.join(folder, 'claude');
  const pi = options.pi ?? path.join(folder, 'pi');
  const env = {
    PATH: process.env.PATH,
    HOME: user,
    TZ: 'UTC',
    HOLDFAST_HOME: home,
    HOLDFAST_PORT: String(ownPort()),
    HOLDFAST_AGENTS_CLAUDE_CODE_WATCH_PATH: claude,
    HOLDFAST_AGENTS_PI_WATCH_PATH: pi,
    // Tests of distilling turn this on. In other tests, the rows they compare should not change in the background.
    HOLDFAST_DISTILL_AUTO: 'false',
  };
  return { folder, home, database: path.join(home, 'holdfast.db'), claude, pi, env };
}

/** Below the range from which the system picks free ports, and different for each test file that runs at the same time. */
export const ownPort = (): number => {
  const file = Number(process.env.VITEST_POOL_ID ?? 0) % 10;
  return 10_000 + file * 2000 + Math.floor(Math.random() * 2000);
};

/** Starts a command, and kills it if it still runs when the test ends. */
export function launch(env: NodeJS.ProcessEnv, args: readonly string[], wrapper: readonly string[] = []): Running {
  const [file = program, ...rest] = [...wrapper, program, ...args];
  const child = spawn(file, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (bytes: Buffer) => said.stdout.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => said.stderr.push(bytes));
  const text = (stream: Buffer[]) => Buffer.concat(stream).toString('utf8');
  const ended = new Promise<Result>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code, signal, stdout: text(said.stdout), stderr: withoutProgress(text(said.stderr)) }),
    );
  });
  let over = false;
  void ended.finally(() => {
    over = true;
  });
  if (child.exitCode === null) killAtEnd(child);
  return {
    child,
    ended,
    said: () => text(said.stdout) + text(said.stderr),
    async says(wanted) {
      const heard = () => {
        const all = text(said.stdout) + text(said.stderr);
        return typeof wanted === 'string' ? all.includes(wanted) : wanted.test(all);
      };
      await until(() => heard() || over);
      expect(heard(), `${args.join(' ')} ended without saying ${wanted}: ${this.said()}`).toBe(true);
    },
  };
}

/** A slow machine shows import progress, which is not an error. */
const withoutProgress = (said: string): string =>
  said.replace(
    /^(?:\d+\/\d+ (?:files|jobs) |[\d,]+ of [\d,]+ (?:texts|lines)\b|applying newer redaction rules\b).*\n/gm,
    '',
  );

function killAtEnd(child: ChildProcess): void {
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
}

export const holdfast = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<Result> => launch(env, args).ended;

/** Runs a command that must succeed and print nothing on standard error. Returns its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own, and the tests look at parts of it.
export async function ask(env: NodeJS.ProcessEnv, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await holdfast(env, ...args, '--json');
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** The same before the tests of a file, where no test ends that could kill the command. */
// biome-ignore lint/suspicious/noExplicitAny: as in `ask`
export function prepare(env: NodeJS.ProcessEnv, ...args: string[]): any {
  const { status, stdout, stderr } = spawnSync(program, [...args, '--json'], {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  expect({ args, code: status, stderr: withoutProgress(stderr) }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** The limit for every wait: long on the slowest machine, and shorter than a test may take. */
export const patienceMs = 180_000;

/**
 * Polls until `holds` is true. Gives up only long after a person would. The pause is as long as the check: a check that starts a process
 * would otherwise take the processor from what it waits for.
 */
export async function until(holds: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const giveUp = Date.now() + patienceMs;
  for (;;) {
    const from = Date.now();
    if (await holds()) return;
    const now = Date.now();
    if (now > giveUp) throw new Error(`Gave up waiting for ${what}`);
    await sleep(Math.max(20, now - from));
  }
}

/** What a person must never see. */
export function expectNoTrace({ stdout, stderr }: Pick<Result, 'stdout' | 'stderr'>): void {
  expect(stdout + stderr).not.toMatch(/^\s+at .+[:(]\d+|node:internal|bug in Holdfast|\[object |undefined/m);
}

/** Random numbers that a seed repeats. Every failure message contains the seed. */
export function dice(seed: number): { next(): number; below(n: number): number } {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (n) => Math.floor(next() * n) };
}

export const isAlive = (pid: number): boolean => {
  try {
    // A zombie still has a pid but no longer runs.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** Kills all of them. The end of one process may end others in the list before their turn. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}
