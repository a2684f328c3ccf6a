// Watches a tree by its folders: a folder's watch tells of every file in it, so thousands of transcripts cost nothing each.
import fs from 'node:fs';
import path from 'node:path';
import { systemCode } from '../system/errors.ts';

export interface TreeEvents {
  /** A wanted file appeared or changed. It may be told of more than once, and be gone by now. */
  readonly file: (file: string) => void;
  /** A wanted file is no longer there. */
  readonly lost?: ((file: string) => void) | undefined;
  /** The root itself was removed, moved or replaced; nothing is told of from here on. */
  readonly gone: () => void;
  readonly error: (error: unknown) => void;
}

/**
 * Files that are there at the start are not told of. With `into`, only folders for which it holds are looked into, and no links
 * are followed unless `links` says so. Returns how to stop.
 */
export function watchTree(
  root: string,
  wanted: (file: string) => boolean,
  on: TreeEvents,
  into?: (folder: string) => boolean,
  links = into === undefined,
): () => void {
  const watches = new Map<string, fs.FSWatcher>();

  function watch(target: string, changed: (kind: string, name: string | null) => void): void {
    const watcher = fs.watch(target, changed);
    watcher.on('error', (error) => (fs.existsSync(target) ? on.error(error) : leave(target)));
    watches.set(target, watcher);
  }

  /** Watches first and looks second: what comes in between is told of twice, never missed. */
  function enter(folder: string, tell: boolean): void {
    try {
      watch(folder, (kind, name) => changed(folder, kind, name));
      for (const item of fs.readdirSync(folder, { withFileTypes: true }))
        look(path.join(folder, item.name), item, tell);
    } catch (error) {
      // Gone meanwhile: the folder above tells of it.
      if (systemCode(error) !== 'ENOENT') on.error(error);
    }
  }

  function look(target: string, item: fs.Dirent | fs.Stats, tell: boolean): void {
    if (item.isSymbolicLink()) {
      if (!links) return;
      const stat = fs.statSync(target, { throwIfNoEntry: false });
      if (stat?.isDirectory() && !leadsBack(root, target) && into?.(target) !== false) enter(target, tell);
      if (!stat?.isFile() || !wanted(target)) return;
      // What the link points to changes elsewhere.
      if (!watches.has(target)) watch(target, () => on.file(target));
      if (tell) on.file(target);
    } else if (item.isDirectory()) {
      if (into === undefined || into(target)) enter(target, tell);
    } else if (tell && item.isFile() && wanted(target)) on.file(target);
  }

  function changed(folder: string, kind: string, name: string | null): void {
    if (!watches.has(folder)) return;
    const target = name === null ? folder : path.join(folder, name);
    try {
      const stat = fs.lstatSync(target, { throwIfNoEntry: false });
      // A folder that is renamed or removed says so under its own name.
      if (folder === root && name === path.basename(root) && stat === undefined) {
        close();
        on.gone();
      } else if (target === folder || stat?.isDirectory() || stat?.isSymbolicLink()) {
        if (kind === 'change' && watches.has(target) && target !== folder) return;
        // Made anew, perhaps under the number of the old one: its watch may be dead.
        leave(target);
        look(target, fs.lstatSync(target), true);
      } else if (stat === undefined) {
        leave(target);
        if (wanted(target)) on.lost?.(target);
      } else if (stat.isFile() && wanted(target)) on.file(target);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') on.error(error);
    }
  }

  function leave(target: string): void {
    for (const [watched, watcher] of watches) {
      if (watched !== target && !watched.startsWith(target + path.sep)) continue;
      watcher.close();
      watches.delete(watched);
    }
  }

  function close(): void {
    for (const watcher of watches.values()) watcher.close();
    watches.clear();
  }

  enter(root, false);
  return close;
}

/** Whether a linked folder is one of those that lead to it. */
function leadsBack(root: string, link: string): boolean {
  const real = fs.realpathSync(link);
  for (let above = path.dirname(link); above.length >= root.length; above = path.dirname(above)) {
    if (fs.realpathSync(above) === real) return true;
  }
  return false;
}
