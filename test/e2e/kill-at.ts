// Kills a command at one of the system calls that make a change durable, with strace.
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { without } from '../because.ts';
import { ask, type Place, program } from './holdfast.ts';

export const lastingCalls = 'fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,ftruncate';
/** Calls that remove a file, apart from the others: where two threads make them, each kind gets its own kills. */
export const removingCalls = 'unlink';
export const keepingCalls = lastingCalls.replace(/,unlink/, '');
/** Why no command can be killed at a call here. */
export const noTrace = without('strace');

export interface Killing {
  readonly calls?: string;
  readonly start?: string;
  /** Counts only calls on these files. */
  readonly files?: readonly string[];
}

/** True when the command finished because it makes fewer such calls. */
export function killedAt(
  at: Place,
  call: number,
  args: readonly string[],
  { calls = lastingCalls, start = program, files = [] }: Killing = {},
): boolean {
  const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:signal=SIGKILL:when=${call}`];
  const only = files.flatMap((file) => ['-P', file]);
  const { status, signal, stderr } = spawnSync(
    'strace',
    ['-f', '-qq', '-o', '/dev/null', ...only, ...inject, process.execPath, start, ...args],
    // strace counts the calls of each thread separately. With a single pool thread, one thread removes all files in turn.
    { env: { ...at.env, UV_THREADPOOL_SIZE: '1' } },
  );
  if (status === 0) return true;
  expect([signal ?? 'SIGKILL', status ?? 137], String(stderr)).toEqual(['SIGKILL', 137]);
  return false;
}

/** Runs the command repeatedly, killed at the 1st, 2nd, 3rd … of the calls, until it finishes. Returns the number of runs. */
export async function killAtEach(
  at: Place,
  args: (round: number) => string[] | Promise<string[]>,
  look: (round: number) => Promise<void>,
  options: Killing = {},
): Promise<number> {
  for (let round = 1; round < 60; round++) {
    const through = killedAt(at, round, await args(round), options);
    await look(round);
    if (through) return round;
  }
  throw new Error('sixty kills, and the command still did not finish');
}

/** An import that is killed at each of the calls in turn, and then finishes, holds what an undisturbed one holds. */
export async function expectKillsCostNothing<T>(newPlace: () => Place, held: (at: Place) => T): Promise<T> {
  const whole = newPlace();
  await ask(whole.env, 'ingest');
  const expected = held(whole);
  const at = newPlace();
  const rounds = await killAtEach(
    at,
    () => ['ingest'],
    async () => {},
  );
  expect(rounds).toBeGreaterThan(3);
  await ask(at.env, 'ingest');
  expect(held(at)).toEqual(expected);
  return expected;
}
