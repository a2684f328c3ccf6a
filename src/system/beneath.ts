// Files below a folder in which another program writes. A path that was checked may lead elsewhere a moment later, so
// nothing here is opened by its whole path: each step is opened from the handle of the folder before it, and a link on
// the way is refused.
//
// On Linux a handle's folder is `/proc/self/fd/<handle>`. Elsewhere Node offers no such path, so each step is checked
// instead. On those systems an agent runs without our sandbox (`none`), and can write wherever the person can anyway.
import fs from 'node:fs';
import path from 'node:path';
import { HoldfastError, systemCode } from './errors.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
const hasHandles = process.platform === 'linux';

/** A folder that is held open. A path from `at` is valid while it is open, for a name directly in it. */
export interface Folder {
  /** Shown to people. */
  readonly path: string;
  at(name: string): string;
  list(): string[];
  sync(): void;
  close(): void;
}

const inTheWay = (at: string, cause: unknown): HoldfastError =>
  new HoldfastError('CONFLICT', `${at} is a link or not a folder, so Holdfast reads and writes nothing there`, {
    hint: 'Move it away; Holdfast creates the folder again.',
    cause,
  });

function named(folder: string, name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
    throw new HoldfastError('BAD_INPUT', `${JSON.stringify(name)} is not a name in ${folder}`);
  return name;
}

function folderOf(fd: number, where: string): Folder {
  const base = hasHandles ? `/proc/self/fd/${fd}` : where;
  return {
    path: where,
    at: (name) => `${base}/${named(where, name)}`,
    // The slash makes it the folder; a bare handle is a link to it.
    list: () => fs.readdirSync(`${base}/`),
    sync: () => fs.fsyncSync(fd),
    close: () => fs.closeSync(fd),
  };
}

/**
 * Opens a folder directly inside another, and creates it on request. Throws CONFLICT if a link or a file is in its
 * place.
 */
export function openFolderIn(parent: Folder, name: string, options: { readonly make?: boolean } = {}): Folder {
  const at = parent.at(name);
  const shown = path.join(parent.path, name);
  if (options.make) {
    try {
      fs.mkdirSync(at, { mode: 0o700 });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
  try {
    if (!hasHandles && fs.lstatSync(at).isSymbolicLink()) throw inTheWay(shown, undefined);
    return folderOf(fs.openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), shown);
  } catch (error) {
    if (['ELOOP', 'ENOTDIR', 'EMLINK'].includes(systemCode(error) ?? '')) throw inTheWay(shown, error);
    throw error;
  }
}

/** Opens the folder at the end of the steps from a root, which is ours. Follows no link on the way. */
export function openBeneath(root: string, folder: string, options: { readonly make?: boolean } = {}): Folder {
  const inside = path.relative(root, folder);
  let at = folderOf(fs.openSync(root, O_RDONLY | O_DIRECTORY), root);
  for (const step of inside === '' ? [] : inside.split(path.sep)) {
    try {
      const next = openFolderIn(at, step, options);
      at.close();
      at = next;
    } catch (error) {
      at.close();
      throw error;
    }
  }
  return at;
}

/** Does something in a folder below a root, then closes the folder. */
export function beneath<T>(
  root: string,
  folder: string,
  work: (folder: Folder) => T,
  options: { readonly make?: boolean } = {},
): T {
  const opened = openBeneath(root, folder, options);
  try {
    return work(opened);
  } finally {
    opened.close();
  }
}

/** Opens a plain file to read: never follows a link or waits at a pipe. Throws UNREADABLE for anything else. */
export function openFileIn(folder: Folder, name: string): number {
  const refuse = (cause?: unknown) =>
    new HoldfastError('UNREADABLE', `${path.join(folder.path, name)} is not a plain file, or is a link`, { cause });
  let fd: number;
  try {
    fd = fs.openSync(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (['ELOOP', 'ENXIO', 'EMLINK'].includes(systemCode(error) ?? '')) throw refuse(error);
    throw error;
  }
  if (fs.fstatSync(fd).isFile()) return fd;
  fs.closeSync(fd);
  throw refuse();
}

export function readFileIn(folder: Folder, name: string, most = Number.POSITIVE_INFINITY): Buffer {
  const fd = openFileIn(folder, name);
  try {
    return readAtMost(fd, most);
  } finally {
    fs.closeSync(fd);
  }
}

/** The beginning of a file that may be of any size, and may grow while it is read. */
export function readAtMost(fd: number, most: number): Buffer {
  const size = Math.min(fs.fstatSync(fd).size, most);
  const bytes = Buffer.alloc(size);
  let got = 0;
  while (got < size) {
    const read = fs.readSync(fd, bytes, got, size - got, got);
    if (read === 0) break;
    got += read;
  }
  return bytes.subarray(0, got);
}

/** Writes a new file, complete and synced to disk. Throws EEXIST if anything has that name, even a link. */
export function writeNewIn(folder: Folder, name: string, bytes: string | Uint8Array): void {
  const fd = fs.openSync(folder.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fs.writeFileSync(fd, bytes);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** If there are more, removing them takes too long, or another process fills the tree faster than it can be removed. */
const mostRemovals = 100_000;

/** Removes a name with everything below it. Follows no link, and holds two folders open, however deep the tree is. */
export function removeTreeIn(folder: Folder, name: string): void {
  const waiting = [name];
  let count = 0;
  const counted = () => {
    if (++count > mostRemovals)
      throw new HoldfastError('CONFLICT', `${path.join(folder.path, name)} has too many files to be removed`);
  };
  while (waiting.length > 0) {
    counted();
    const next = waiting.pop() as string;
    if (unlinkIn(folder, next)) continue;
    const below = openFolderIn(folder, next);
    try {
      for (const child of below.list()) {
        counted();
        if (!unlinkIn(below, child)) {
          const moved = `.${process.pid}.${count}.${waiting.length}.removing`;
          fs.renameSync(below.at(child), folder.at(moved));
          waiting.push(moved);
        }
      }
    } finally {
      below.close();
    }
    try {
      fs.rmdirSync(folder.at(next));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') continue;
      if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
      waiting.push(next);
    }
  }
}

/** Removes a folder with everything below it, even if its paths are longer than the system takes. Contract: its parent is ours. */
export function removeTree(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (systemCode(error) !== 'ENAMETOOLONG') throw error;
    const parent = path.dirname(folder);
    beneath(parent, parent, (above) => removeTreeIn(above, path.basename(folder)));
  }
}

/** False if it is a folder. */
function unlinkIn(folder: Folder, name: string): boolean {
  try {
    fs.unlinkSync(folder.at(name));
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return true;
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
    return false;
  }
}
