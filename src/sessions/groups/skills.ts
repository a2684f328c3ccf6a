// Copies the person's skills, one folder each, to every group. Skills that an agent made itself stay as they are. The agent can write to
// the target folder, so we reach it through its open handle only.
import { createHash } from 'node:crypto';
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
    if (printOfSource(source) === printOfCopy(to, name)) continue;
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

/** An item of a folder: its name and the hash of the file or folder. Undefined if it contains anything else. */
type Item = readonly [name: string, hash: string | undefined];
const hashOf = (items: readonly Item[]): string | undefined =>
  items.some(([, hash]) => hash === undefined)
    ? undefined
    : createHash('sha256').update(JSON.stringify(items)).digest('hex');
const hashOfFile = (bytes: Buffer): string => `file ${createHash('sha256').update(bytes).digest('hex')}`;

function printOfSource(folder: string, depth = 0): string | undefined {
  if (depth > deepest) throw tooDeep(folder);
  return hashOf(
    fs
      .readdirSync(folder)
      .sort()
      .flatMap((name): Item[] => {
        const at = path.join(folder, name);
        const stat = fs.statSync(at, { throwIfNoEntry: false });
        if (stat?.isDirectory()) return [[name, printOfSource(at, depth + 1)]];
        return stat?.isFile() ? [[name, hashOfFile(fs.readFileSync(at))]] : [];
      }),
  );
}

/** Undefined if there is no copy, if it contains links or pipes, or if it is nested too deeply. */
function printOfCopy(to: Folder, name: string, depth = 0): string | undefined {
  if (depth > deepest) return undefined;
  let folder: Folder;
  try {
    folder = openFolderIn(to, name);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || (error instanceof HoldfastError && error.code === 'CONFLICT'))
      return undefined;
    throw error;
  }
  try {
    const items: Item[] = [];
    for (const item of folder.list().sort()) {
      const stat = fs.lstatSync(folder.at(item), { throwIfNoEntry: false });
      if (stat?.isDirectory()) items.push([item, printOfCopy(folder, item, depth + 1)]);
      else if (stat?.isFile()) items.push([item, hashOfFile(readFileIn(folder, item, largestFile))]);
      else return undefined;
    }
    return hashOf(items);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || (error instanceof HoldfastError && error.code === 'UNREADABLE'))
      return undefined;
    throw error;
  } finally {
    folder.close();
  }
}

/** We compare only this much of a copied file: the agent may have made it huge. */
const largestFile = 64 << 20;
