// The file system calls that the library needs. Tests pass a file system that fails at the Nth call.
import { access, link, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';

export interface SessionFileSystem {
  /** Rejects with the code ENOENT when there is no such file; so do the others. */
  readFile(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
  /** Makes a file that must not exist yet, else rejects with EEXIST. Once it resolves, the file is on disk. */
  createFile(path: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name, which must not exist yet. Rejects with EEXIST. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** The names of the items in a folder. */
  readdir(path: string): Promise<string[]>;
  /** Also makes the folders above. An existing folder is no error. */
  mkdir(path: string): Promise<void>;
  /** Makes renames and removals in the folder survive a power cut. */
  syncFolder(path: string): Promise<void>;
}

export const realFileSystem: SessionFileSystem = {
  readFile: (path) => readFile(path, 'utf8'),
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
  async createFile(path, text) {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename,
  link,
  unlink,
  readdir,
  async mkdir(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  async syncFolder(path) {
    // Windows cannot open folders, and does not need this call.
    if (process.platform === 'win32') return;
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};

export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;

/** The text of a file, or undefined if there is no such file. */
export async function readIfThere(files: SessionFileSystem, path: string): Promise<string | undefined> {
  try {
    return await files.readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes a file. False if there is no such file. */
export async function removeIfThere(files: SessionFileSystem, path: string): Promise<boolean> {
  try {
    await files.unlink(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Only unfinished writes have such names. */
export const isDraft = (name: string): boolean => /\.tmp\.\d+-[a-z0-9]+$/.test(name);

export const draftOf = (path: string): string =>
  `${path}.tmp.${Date.now()}-${Math.random().toString(36).slice(2, 10) || '0'}`;

/** Leaves the old file or the new one, never half of one. The caller must sync the folder. */
export async function replaceFile(files: SessionFileSystem, path: string, text: string): Promise<void> {
  const draft = draftOf(path);
  try {
    await files.createFile(draft, text);
    await files.rename(draft, path);
  } catch (error) {
    await removeIfThere(files, draft).catch(() => undefined); // report the first error
    throw error;
  }
}
