import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { isAlive } from './alive.ts';

it('a process lives, one that was waited for does not', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(spawnSync('true').pid)).toBe(false);
});

it.skipIf(!existsSync('/proc/self/status'))('one that ended and was never waited for is dead', async () => {
  // The shell becomes sleep, which waits for no child.
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  expect(process.kill(pid, 0)).toBe(true);
});
