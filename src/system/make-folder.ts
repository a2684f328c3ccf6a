// Creates folders below the data folder, but never the data folder itself: one that a person removed stays removed,
// even if a worker is still running.
import fs from 'node:fs';
import path from 'node:path';
import { systemCode } from './errors.ts';

/**
 * Creates a folder and its missing parents, closed to other users. Contract: a missing `home` stays missing, even if it
 * disappears during the call; the call then throws ENOENT. A folder outside `home` is created whole.
 */
export function makeFolder(home: string, folder: string): void {
  const inside = path.relative(home, folder);
  if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return;
  }
  let at = home;
  for (const step of inside.split(path.sep)) {
    at = path.join(at, step);
    try {
      fs.mkdirSync(at, { mode: 0o700 });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}
