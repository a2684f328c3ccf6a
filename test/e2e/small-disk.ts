// A separate disk for a test: a small tmpfs, where mounting is allowed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it, onTestFinished } from 'vitest';

const canMount = (() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
  if (mounted) execFileSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
})();
/** In CI a machine that cannot mount is a failure, not a reason to prove less. */
export const noMount = canMount || process.env.CI ? undefined : 'mount is not allowed; root on Linux may';
export const itOnSmallDisk = it.skipIf(noMount);

export interface SmallDisk {
  readonly path: string;
  grow(): void;
  fill(): void;
  /** Makes the disk read-only, even for root. */
  protect(on: boolean): void;
}

/** A separate disk with a block that can be deleted to make space. */
export function smallDisk(folder: string, megabytes: number): SmallDisk {
  const disk = path.join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', disk]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', disk]);
  });
  const block = path.join(disk, 'block');
  return {
    path: disk,
    grow: () => {
      rmSync(block, { force: true });
      execFileSync('mount', ['-o', 'remount,size=200m', disk]);
    },
    fill: () => {
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(block, Buffer.alloc(bavail * bsize));
    },
    protect: (on) => {
      execFileSync('mount', ['-o', `remount,${on ? 'ro' : 'rw'}`, disk]);
    },
  };
}
