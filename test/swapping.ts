// What an agent that owns a folder can do to a process that opens it by path: swap it with a link, repeatedly, in one step (`renameat2`).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { without } from './because.ts';

const program = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
a, b = (os.fsencode(x) for x in sys.argv[1:3])
number = 316 if os.uname().machine == 'x86_64' else 276
count = 0
while True:
    libc.syscall(number, -100, a, -100, b, 2)
    count += 1
    if count % 1000 == 0: print(count, flush=True)
`;

export const noSwap = process.platform === 'linux' ? without('python3') : 'only Linux swaps two names at once';

/** How long a race runs: a moment in `npm test`, as long as an attacker would have in the long tests. */
export const raceSeconds = process.env.HOLDFAST_LONG === undefined ? 2 : 30;

export async function swapping(a: string, b: string): Promise<{ swaps(): number; stop(): Promise<void> }> {
  const child = spawn('python3', ['-c', program, a, b], { stdio: ['ignore', 'pipe', 'inherit'] });
  let swaps = 0;
  child.stdout.on('data', (text) => {
    // A chunk may begin or end within a line, so lines count, and not what they say.
    swaps += 1000 * (String(text).split('\n').length - 1);
  });
  await once(child.stdout, 'data');
  return {
    swaps: () => swaps,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
