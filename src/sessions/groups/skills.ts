// Copies the person's skills, one folder each, to every group. Skills that an agent made itself stay as they are. The agent can write to
// the target folder, so we reach it through its open handle only.
import fs from 'node:fs';
import path from 'node:path';
import { type Folder, openFolderIn, readFileIn, removeTreeIn, writeNewIn } from '../../system/beneath.ts';
import { HoldfastError, systemCode } from '../../system/errors.ts';

/** Lists the skills that we copied, so that we can remove a copy when the person removes the skill. */
const listName = '.holdfast-skills';
const longestList = 1 << 20;
/** The deepest nesting of folders in a skill. */
const deepest = 32;

export function syncSkills(from: string, to: Folder): void {
  const wanted = foldersIn(from);
  for (const name of namesIn(to)) if (!wanted.includes(name)) removeTreeIn(to, name);
  // Written before the copies: after a crash the list may name missing skills, but no copy is missing from the list.
  replaceList(to, wanted);
  for (const name of wanted) {
    const source = path.join(from, name);
    if (isCopyOf(source, to, name)) continue;
    const draft = `.${name}.${process.pid}.draft`;
    removeTreeIn(to, draft);
    copyInto(source, to, draft);
    removeTreeIn(to, name);
    fs.renameSync(to.at(draft), to.at(name));
  }
  for (const left of to.list()) if (/^\..+\.\d+\.draft$/.test(left)) removeTreeIn(to, left);
}

/** Follows links in the person's own skills: the person made them. */
function copyInto(source: string, to: Folder, name: string, depth = 0): void {
  if (depth > deepest) throw tooDeep(source);
  const folder = openFolderIn(to, name, { make: true });
  try {
    for (const item of fs.readdirSync(source)) {
      const at = path.join(source, item);
      const stat = fs.statSync(at, { throwIfNoEntry: false });
      if (stat?.isDirectory()) copyInto(at, folder, item, depth + 1);
      else if (stat?.isFile()) writeNewIn(folder, item, fs.readFileSync(at));
    }
  } finally {
    folder.close();
  }
}

const tooDeep = (folder: string): HoldfastError =>
  new HoldfastError('UNREADABLE', `${folder} has folders that lead back to themselves`);

function foldersIn(folder: string): string[] {
  try {
    const items = fs.readdirSync(folder).filter((name) => !name.startsWith('.'));
    return items
      .filter((name) => fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.isDirectory())
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The agent may have written anything into the list, so we accept only plain names of folders beside it. */
function namesIn(to: Folder): string[] {
  try {
    const names = readFileIn(to, listName, longestList).toString('utf8').split('\n');
    return names.filter((name) => name !== '' && name === path.basename(name) && !name.startsWith('.'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || (error instanceof HoldfastError && error.code === 'UNREADABLE')) return [];
    throw error;
  }
}

function replaceList(to: Folder, names: readonly string[]): void {
  const draft = `${listName}.${process.pid}.draft`;
  removeTreeIn(to, draft);
  writeNewIn(to, draft, names.map((name) => `${name}\n`).join(''));
  fs.renameSync(to.at(draft), to.at(listName));
}

/**
 * Compares in step with the person's skill and ends at the first difference: the agent may have added any number of files of any size.
 * A link, a pipe or a folder in the place of a file is a difference.
 */
function isCopyOf(source: string, to: Folder, name: string, depth = 0): boolean {
  if (depth > deepest) throw tooDeep(source);
  let folder: Folder;
  try {
    folder = openFolderIn(to, name);
  } catch (error) {
    return isDifference(error);
  }
  try {
    const wanted = fs
      .readdirSync(source)
      .sort()
      .map((item) => ({ item, at: path.join(source, item) }))
      .map((one) => ({ ...one, stat: fs.statSync(one.at, { throwIfNoEntry: false }) }))
      .filter(({ stat }) => stat?.isDirectory() || stat?.isFile());
    const names = folder.list().sort();
    return (
      names.length === wanted.length &&
      wanted.every(({ item }, i) => item === names[i]) &&
      wanted.every(({ item, at, stat }) =>
        stat?.isDirectory() ? isCopyOf(at, folder, item, depth + 1) : hasBytes(folder, item, fs.readFileSync(at)),
      )
    );
  } catch (error) {
    return isDifference(error);
  } finally {
    folder.close();
  }
}

/** Reads one byte more than expected, so that a longer file differs. */
const hasBytes = (folder: Folder, name: string, bytes: Buffer): boolean =>
  readFileIn(folder, name, bytes.length + 1).equals(bytes);

/** Something else in the place of a copy is a difference. Other errors are thrown on. */
function isDifference(error: unknown): false {
  const isOther = error instanceof HoldfastError && (error.code === 'CONFLICT' || error.code === 'UNREADABLE');
  if (systemCode(error) === 'ENOENT' || isOther) return false;
  throw error;
}
