// Writes a file beside the old one and renames it into place, so that a crash leaves the old or the new one, whole.
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The mode is set exactly, whatever the umask says. Throws what the system says; the old file then stands. So it does when `still`,
 * asked at the last moment, says that the old file is not the one to replace: then this is false.
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
      // Until all is written: on a disk that is nearly full one call may write a part.
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

/** Without this a power cut may undo the rename. Windows cannot open folders, and needs no such call. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
