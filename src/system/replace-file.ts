// Writes a file beside the old one and renames it into place, so that a crash leaves either the old or the new one,
// complete.
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Sets the mode exactly, whatever the umask. Throws the system's error; the old file then stays. The old file also
 * stays, and the result is false, if `still`, called at the last moment, says that the old file is no longer the one to
 * replace.
 */
export function replaceFile(
  path: string,
  text: string | Buffer,
  mode: number,
  still: () => boolean = () => true,
): boolean {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, 'w', mode);
    try {
      fchmodSync(file, mode);
      // Repeat until everything is written: on a nearly full disk, one call may write only a part.
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!still()) {
      rmSync(temporary, { force: true });
      return false;
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Without this a power cut may undo the rename. Windows cannot open folders, and does not need this call. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
