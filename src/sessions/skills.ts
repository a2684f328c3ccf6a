// The person's skills, given to every group: one folder each. Those that an agent has made itself are left alone.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { HoldfastError, systemCode } from '../errors.ts';

/** Which skills came from us: one that the person removes goes here too. */
const listName = '.holdfast-skills';

export function syncSkills(from: string, to: string): void {
  const wanted = foldersIn(from);
  const list = path.join(to, listName);
  for (const name of namesIn(list)) if (!wanted.includes(name)) remove(path.join(to, name));
  // Before the copies: a crash leaves names of skills that are not there yet, never skills that nobody takes away.
  replaceList(list, wanted);
  for (const name of wanted) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if (treePrint(source, true) === treePrint(target, false)) continue;
    const draft = path.join(to, `.${name}.${process.pid}.draft`);
    fs.rmSync(draft, { recursive: true, force: true });
    fs.cpSync(source, draft, { recursive: true, dereference: true });
    remove(target);
    fs.renameSync(draft, target);
  }
  for (const left of fs.readdirSync(to)) if (/^\..+\.\d+\.draft$/.test(left)) remove(path.join(to, left));
}

const remove = (target: string): void => fs.rmSync(target, { recursive: true, force: true });

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

/** The agent may have written anything here: only names of folders directly beside the list count. */
function namesIn(list: string): string[] {
  if (!fs.lstatSync(list, { throwIfNoEntry: false })?.isFile()) return [];
  const names = fs.readFileSync(list, 'utf8').split('\n');
  return names.filter((name) => name !== '' && name === path.basename(name) && !name.startsWith('.'));
}

function replaceList(list: string, names: readonly string[]): void {
  const draft = `${list}.${process.pid}.draft`;
  remove(draft);
  fs.writeFileSync(draft, names.map((name) => `${name}\n`).join(''), { flag: 'wx', mode: 0o600 });
  fs.renameSync(draft, list);
}

/** Of all paths and contents; undefined where there is no folder, or one with links in it that may not be followed. */
function treePrint(root: string, follow: boolean): string | undefined {
  const print = createHash('sha256');
  const look = follow ? fs.statSync : fs.lstatSync;
  let plain = look(root, { throwIfNoEntry: false })?.isDirectory() === true;
  const walk = (folder: string, depth: number): void => {
    if (depth > 32) throw new HoldfastError('UNREADABLE', `${root} has folders that lead back to themselves`);
    for (const name of fs.readdirSync(folder).sort()) {
      const at = path.join(folder, name);
      const stat = look(at, { throwIfNoEntry: false });
      print.update(`${path.relative(root, at)}\0${stat?.isDirectory()}\0`);
      if (stat?.isDirectory()) walk(at, depth + 1);
      else if (stat?.isFile()) print.update(createHash('sha256').update(fs.readFileSync(at)).digest());
      else plain = false;
    }
  };
  if (plain) walk(root, 0);
  return plain ? print.digest('hex') : undefined;
}
