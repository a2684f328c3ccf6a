// Files in folders that somebody else writes in: their paths may lead elsewhere, and be exchanged at any moment.
import fs from 'node:fs';
import path from 'node:path';
import { HoldfastError } from '../errors.ts';

/** Whether no step below the root is a link. What does not exist is none. */
export function isPlain(root: string, file: string): boolean {
  let at = root;
  for (const step of path.relative(root, file).split(path.sep)) {
    at = path.join(at, step);
    if (step === '..' || fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  }
  return true;
}

/**
 * Opens a transcript. With a root, one that somebody else writes below: then it is the file that its path says, whatever is exchanged at this
 * moment; nothing behind a link, and no pipe to wait at.
 */
export function openTranscript(file: string, root: string | undefined): number {
  if (root === undefined) return fs.openSync(file, 'r');
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const isMeant =
      process.platform === 'linux'
        ? fs.readlinkSync(`/proc/self/fd/${fd}`) === path.join(fs.realpathSync(root), path.relative(root, file))
        : isPlain(root, file);
    if (isMeant && fs.fstatSync(fd).isFile()) return fd;
    throw new HoldfastError('UNREADABLE', `${file} is no file, or lies behind a link`);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}
