// The agent of a group writes in the group's folders, and may put a link where we are about to write.
import fs from 'node:fs';
import path from 'node:path';
import { HoldfastError, systemCode } from '../errors.ts';

/** Makes a folder below one that somebody else writes in. Refuses where a link has been put in the way. */
export function makeInside(root: string, folder: string): void {
  let at = root;
  for (const step of path.relative(root, folder).split(path.sep)) {
    at = path.join(at, step);
    try {
      fs.mkdirSync(at, { mode: 0o700 });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    if (!fs.lstatSync(at).isDirectory())
      throw new HoldfastError('CONFLICT', `${at} is not a folder, so nothing is written there`, {
        hint: 'Move it away; the folder is made anew.',
      });
  }
}
