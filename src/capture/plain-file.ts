// Files in folders that somebody else writes in: their paths may lead elsewhere, and be exchanged at any moment.
import fs from 'node:fs';
import path from 'node:path';
import { beneath, openFileIn } from '../system/beneath.ts';
import { HoldfastError } from '../system/errors.ts';

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
  try {
    return beneath(root, path.dirname(file), (folder) => openFileIn(folder, path.basename(file)));
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'CONFLICT')
      throw new HoldfastError('UNREADABLE', `${file} is not a plain file, or is a link`, { cause: error });
    throw error;
  }
}
