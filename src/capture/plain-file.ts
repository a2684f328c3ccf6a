// Files in folders that an untrusted program can write: a path may lead elsewhere, and may change at any moment.
import fs from 'node:fs';
import path from 'node:path';
import { beneath, openFileIn } from '../system/beneath.ts';
import { HoldfastError } from '../system/errors.ts';

/** Whether no step below the root is a link. A missing step is not a link. */
export function isPlain(root: string, file: string): boolean {
  let at = root;
  for (const step of path.relative(root, file).split(path.sep)) {
    at = path.join(at, step);
    if (step === '..' || fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  }
  return true;
}

/**
 * Opens a transcript. Pass a root if an untrusted program writes below it. Then this opens exactly the file at that path, even if the path
 * is being replaced at this moment; it follows no link and never blocks on a pipe.
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
