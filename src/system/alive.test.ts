import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { isAlive } from './alive.ts';

it('a process is alive, one that was reaped is not', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(spawnSync('true').pid)).toBe(false);
});

it.skipIf(!existsSync('/proc/self/status'))('a process that ended and was never reaped is dead', async () => {
  // The shell becomes sleep, which reaps no child. Until then, the shell might.
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(process.kill(pid, 0)).toBe(true);
});
