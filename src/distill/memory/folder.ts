// The folder of memories on disk: lists and reads pages, and replaces one without losing what a person writes at the same time.
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { isAlive } from '../../system/alive.ts';
import { explain, HoldfastError, systemCode } from '../../system/errors.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { replaceFile } from '../../system/replace-file.ts';

/** Larger files are not memories: Holdfast neither changes nor searches them. */
const largest = 2_000_000;

export interface FileOnDisk {
  readonly text: string;
  readonly changedAt: number;
  readonly stamp: string;
}

/** Changes whenever the file does: modification time in nanoseconds, size, and inode. */
const stampOf = (stat: fs.BigIntStats): string => `${stat.mtimeNs}-${stat.size}-${stat.ino}`;

/** Every Markdown file below the folder with its stamp, without hidden ones. Removes half-written files of dead processes. */
export function listPages(folder: string): Map<string, string> {
  const pages = new Map<string, string>();
  const walk = (below: string) => {
    for (const item of fs.readdirSync(path.join(folder, below), { withFileTypes: true })) {
      if (item.name.startsWith('.') || item.name === 'node_modules') continue;
      const name = below === '' ? item.name : `${below}/${item.name}`;
      const leftBy = /\.md\.(\d+)\.tmp$/.exec(item.name)?.[1];
      if (item.isDirectory()) walk(name);
      else if (leftBy !== undefined && !isAtIt(Number(leftBy))) fs.rmSync(path.join(folder, name), { force: true });
      else if (/\.md$/i.test(item.name)) {
        const stat = fs.statSync(path.join(folder, name), { bigint: true, throwIfNoEntry: false });
        if (stat?.isFile() && stat.size <= largest) pages.set(name, stampOf(stat));
      }
    }
  };
  try {
    walk('');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw explain(error, `The folder of memories ${folder}`);
  }
  return pages;
}

/** Whether another process may still be writing the file. */
const isAtIt = (pid: number): boolean => pid !== process.pid && isAlive(pid);

/** Undefined if there is no file. Throws UNREADABLE if the text is not UTF-8, because writing it back would change it. */
export function readPage(folder: string, page: string): FileOnDisk | undefined {
  const file = path.join(folder, page);
  try {
    const stat = fs.statSync(file, { bigint: true });
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file));
    return { text, changedAt: Number(stat.mtimeNs / 1_000_000n), stamp: stampOf(stat) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new HoldfastError('UNREADABLE', `${file} is not UTF-8 text`, {
        hint: 'Save it as UTF-8; until then it is left as it is.',
      });
    throw explain(error, file);
  }
}

/**
 * Replaces the file by the text. Undefined if the file no longer has the `expected` text, because a person or another process
 * changed it. An empty text removes the file and any folders that it leaves empty.
 */
export function writePage(
  { home, memoryPath: folder }: Pick<Config, 'home' | 'memoryPath'>,
  page: string,
  text: string,
  expected: FileOnDisk | undefined,
): { stamp: string } | undefined {
  const file = resolved(folder, page);
  const isExpected = () => readPage(folder, page)?.text === expected?.text;
  try {
    if (text === '') {
      if (!isExpected()) return undefined;
      fs.rmSync(file, { force: true });
      prune(folder, path.dirname(page));
      return { stamp: '' };
    }
    makeFolder(home, path.dirname(file));
    const mode = (fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
    if (!replaceFile(file, text, mode, isExpected)) return undefined;
    return { stamp: stampOf(fs.statSync(file, { bigint: true })) };
  } catch (error) {
    throw unwritable(error, folder);
  }
}

/** The file itself, even if the person keeps it elsewhere behind a link. */
function resolved(folder: string, page: string): string {
  const file = path.join(folder, page);
  try {
    return fs.lstatSync(file).isSymbolicLink() ? fs.realpathSync(file) : file;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return file;
    throw explain(error, file);
  }
}

function prune(folder: string, below: string): void {
  for (let name = below; name !== '.' && name !== ''; name = path.dirname(name)) {
    try {
      fs.rmdirSync(path.join(folder, name));
    } catch {
      // Not empty, or already gone: both are fine.
      return;
    }
  }
}

function unwritable(error: unknown, folder: string): HoldfastError {
  const code = systemCode(error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new HoldfastError('NO_PERMISSION', `The folder of memories ${folder} cannot be written`, {
      hint: 'Check its owner and mode, or set memoryPath to another folder. Holdfast keeps its changes and writes them then.',
      cause: error,
    });
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return new HoldfastError('CONFLICT', `The folder of memories ${folder} cannot be created: a file is in the way`, {
      hint: 'Move that file away, or set memoryPath to another folder.',
      cause: error,
    });
  return explain(error, `the folder of memories ${folder}`);
}
