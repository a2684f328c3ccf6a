// What a program did with an input: its exit code and what it wrote.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A program that does not read its input is no failure. */
export function outcomeOf(child: ChildProcessWithoutNullStreams, input: string): Promise<Ran> {
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}
