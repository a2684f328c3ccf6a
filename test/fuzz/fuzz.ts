// Runs steps on texts in separate processes. A step that exceeds the time limit for one text hangs: the fuzzer kills and names it.
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const root = path.join(import.meta.dirname, '../..');

/** Long enough that quadratic time exceeds the limit by far. */
export const textLength = 250_000;
const limitMs = 90_000;

export interface Fuzzer {
  /** Failures by seed. Empty if there are none. */
  run(step: string, seeds: readonly number[]): Promise<string[]>;
  close(): void;
}

/** Compiles the steps once, so that a step can run in a process without a build. */
export async function openFuzzer(): Promise<Fuzzer> {
  const cache = path.join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'fuzz-'));
  const made = await rolldown({
    input: path.join(import.meta.dirname, 'child.ts'),
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    external: ['better-sqlite3', '@secretlint/secretlint-rule-preset-recommend', /^chrono-node/],
  });
  await made.write({ dir: folder, format: 'esm', entryFileNames: 'child.mjs' });
  await made.close();
  return {
    run: (step, seeds) => runStep(path.join(folder, 'child.mjs'), step, seeds),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Said {
  readonly seed?: number;
  readonly failed?: number;
  readonly message?: string;
  readonly done?: boolean;
}

function runStep(program: string, step: string, seeds: readonly number[]): Promise<string[]> {
  return new Promise((resolve) => {
    const problems: string[] = [];
    const child = fork(program, [step, String(textLength), ...seeds.map(String)], { execArgv: [] });
    let seed: number | undefined;
    let done = false;
    const hangs = () => {
      problems.push(`${step}, seed ${seed}: takes longer than ${limitMs / 1000} s`);
      child.kill('SIGKILL');
    };
    let timer = setTimeout(hangs, limitMs);
    child.on('message', (said: Said) => {
      clearTimeout(timer);
      if (said.seed !== undefined) seed = said.seed;
      if (said.failed !== undefined) problems.push(`${step}, seed ${said.failed}: ${said.message}`);
      if (said.done) done = true;
      else timer = setTimeout(hangs, limitMs);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      if (!done && problems.length === 0) problems.push(`${step}, seed ${seed}: the process ended with ${code}`);
      resolve(problems);
    });
  });
}
