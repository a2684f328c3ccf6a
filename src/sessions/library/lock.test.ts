import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { realFileSystem } from './files.ts';
import { folderLock } from './lock.ts';

it.skipIf(!existsSync('/proc/self/status'))(
  'the lock of a dead process that its parent never waited for is broken',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // The shell turns into sleep, which never waits for children. Until then the shell itself might.
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
    process.kill(pid, 'SIGKILL');
    writeFileSync(join(folder, '1'), `${pid} ${hostname()}`);

    const lock = folderLock(realFileSystem, folder);
    await expect.poll(() => lock.isBroken()).toBe(true);
    expect(await lock.hold(async ({ afterFailure }) => afterFailure)).toBe(true);
  },
);
