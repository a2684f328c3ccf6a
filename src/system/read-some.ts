// Files that anyone may have put there, such as those of a repository.
import fs from 'node:fs';
import { readAtMost } from './beneath.ts';

/** The beginning of a plain file. Undefined for anything else. Contract: never throws, never waits at a pipe. */
export function readSome(file: string, mostBytes: number): string | undefined {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      return fs.fstatSync(fd).isFile() ? readAtMost(fd, mostBytes).toString('utf8') : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    // Missing or not readable.
    return undefined;
  }
}

/** What is at a path, also behind links. Undefined if nothing can be reached there. Contract: never throws. */
export function statIfAny(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch {
    // A folder without permission, a link to itself, a name that is too long.
    return undefined;
  }
}
