// Watches a tree by its folders: a folder's watch reports every file in it, so thousands of transcripts need no watch each.
import fs from 'node:fs';
import path from 'node:path';
import { systemCode } from '../system/errors.ts';

export interface TreeEvents {
  /** A wanted file appeared or changed. It may be reported more than once, and may be gone by now. */
  readonly file: (file: string) => void;
  /** A wanted file is gone. */
  readonly lost?: ((file: string) => void) | undefined;
  /** The root itself was removed, moved or replaced, or changed too fast; there are no more reports after this. */
  readonly gone: () => void;
  readonly error: (error: unknown) => void;
}

/**
 * The system hands over reports until there are none left, and nothing else gets a turn meanwhile. A program that changes a folder faster
 * than its changes are handled would stop this process for as long as it goes on.
 */
const mostInOneTurn = 5000;
/** How long a flooded tree is left alone. */
const restMs = 5000;

/**
 * Does not report files that exist at the start. With `into`, it enters only folders that `into` accepts, and follows no links
 * unless `links` is true. Returns a function that stops the watch.
 */
export function watchTree(
  root: string,
  wanted: (file: string) => boolean,
  on: TreeEvents,
  into?: (folder: string) => boolean,
  links = into === undefined,
): () => void {
  const watches = new Map<string, fs.FSWatcher>();
  let inThisTurn = 0;
  let rest: NodeJS.Timeout | undefined;

  /** Whether there are more changes than can be handled. Then the watch ends, and `gone` asks for another one after a rest. */
  function isFlooded(): boolean {
    if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0));
    if (++inThisTurn <= mostInOneTurn) return false;
    close();
    rest = setTimeout(on.gone, restMs).unref();
    return true;
  }

  function watch(target: string, changed: (kind: string, name: string | null) => void): void {
    const watcher = fs.watch(target, changed);
    watcher.on('error', (error) => (fs.existsSync(target) ? on.error(error) : leave(target)));
    watches.set(target, watcher);
  }

  /** Watches first and lists second: a file that appears in between is reported twice, never missed. */
  function enter(folder: string, tell: boolean): void {
    try {
      watch(folder, (kind, name) => changed(folder, kind, name));
      for (const item of fs.readdirSync(folder, { withFileTypes: true }))
        look(path.join(folder, item.name), item, tell);
    } catch (error) {
      // Already gone: the folder above reports it.
      if (systemCode(error) !== 'ENOENT') on.error(error);
    }
  }

  function look(target: string, item: fs.Dirent | fs.Stats, tell: boolean): void {
    if (item.isSymbolicLink()) {
      if (!links) return;
      const stat = fs.statSync(target, { throwIfNoEntry: false });
      if (stat?.isDirectory() && !leadsBack(root, target) && into?.(target) !== false) enter(target, tell);
      if (!stat?.isFile() || !wanted(target)) return;
      // A link's target changes elsewhere, so it needs its own watch.
      if (!watches.has(target)) watch(target, () => on.file(target));
      if (tell) on.file(target);
    } else if (item.isDirectory()) {
      if (into === undefined || into(target)) enter(target, tell);
    } else if (tell && item.isFile() && wanted(target)) on.file(target);
  }

  function changed(folder: string, kind: string, name: string | null): void {
    if (!watches.has(folder) || isFlooded()) return;
    const target = name === null ? folder : path.join(folder, name);
    try {
      const stat = fs.lstatSync(target, { throwIfNoEntry: false });
      // A renamed or removed folder reports itself under its own name.
      if (folder === root && name === path.basename(root) && stat === undefined) {
        close();
        on.gone();
      } else if (target === folder || stat?.isDirectory() || stat?.isSymbolicLink()) {
        if (kind === 'change' && watches.has(target) && target !== folder) return;
        // Created again, perhaps with the inode number of the old one: its watch may be dead.
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
    clearTimeout(rest);
    for (const watcher of watches.values()) watcher.close();
    watches.clear();
  }

  enter(root, false);
  return close;
}

/** Whether a linked folder is one of the folders above the link. */
function leadsBack(root: string, link: string): boolean {
  const real = fs.realpathSync(link);
  for (let above = path.dirname(link); above.length >= root.length; above = path.dirname(above)) {
    if (fs.realpathSync(above) === real) return true;
  }
  return false;
}
