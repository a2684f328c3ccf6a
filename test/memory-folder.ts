// Where tests put their files: in memory if the machine has room there. Every test opens stores of its own, and on a disk most of its time
// would go into waiting for commits. What a kill leaves behind is the same on both. `npm run test:long` uses the disk.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
/** Short, because the address of a socket has at most 107 characters. */
const prefix = 'hf-';
/** The largest test file writes less than 1 GB. */
const neededBytes = 4 * 2 ** 30;

/** For tests of sandboxes, which hide /dev and refuse to mount from it. */
export const diskFolder = (): string => process.env.DISK_TMPDIR ?? os.tmpdir();

/** The variables for test files, if there is room in memory. This process removes the folder when it ends. */
export function memoryFolder(): { TMPDIR?: string; DISK_TMPDIR?: string } {
  const folder = path.join(memory, `${prefix}${process.pid}`);
  try {
    removeLeftovers();
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < neededBytes) return {};
    mkdirSync(folder, { recursive: true });
    // As /tmp: tests that run programs as another user open folders of their own to them.
    chmodSync(folder, 0o1777);
  } catch {
    // No such file system here, or not for us: tests use the usual folder.
    return {};
  }
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return runsPrograms(folder) ? { TMPDIR: folder, DISK_TMPDIR: os.tmpdir() } : {};
}

/** Containers often forbid to run programs from there, and tests do. */
function runsPrograms(folder: string): boolean {
  const program = path.join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  return spawnSync(program).status === 0;
}

/** Folders of earlier runs that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(path.join(memory, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
