// Tells of transcripts that appear or grow below a folder; also when that folder comes later, goes, and comes back.
import fs from 'node:fs';
import path from 'node:path';
import { type TreeEvents, watchTree } from './tree.ts';

export interface Watch {
  close(): Promise<void>;
}

/**
 * Resolves when changes are being seen. Files that are there at that moment are not told of: the scan takes them.
 * Where the system gives no watch, `error` is told, and nothing else.
 * `onRoot` is called whenever the folder has come back: what it holds then must be scanned. `into` and `links`: see `watchTree`.
 */
export async function watchFolder(
  root: string,
  wanted: (file: string) => boolean,
  on: Pick<TreeEvents, 'file' | 'lost' | 'error'> & { readonly root: () => void },
  into?: (folder: string) => boolean,
  links?: boolean,
): Promise<Watch> {
  let leaveTree: (() => void) | undefined;
  let above: fs.FSWatcher | undefined;
  let closed = false;

  function watchRoot(): void {
    const gone = () => {
      leaveTree = undefined;
      void awaitRoot();
    };
    leaveTree = watchTree(root, wanted, { file: on.file, lost: on.lost, gone, error: on.error }, into, links);
  }

  /** Looks at the nearest folder above that exists until the root is there again. */
  async function awaitRoot(): Promise<void> {
    above?.close();
    above = undefined;
    if (closed) return;
    if (fs.existsSync(root)) {
      watchRoot();
      on.root();
      return;
    }
    let folder = path.dirname(root);
    while (!fs.existsSync(folder)) folder = path.dirname(folder);
    try {
      above = fs.watch(folder, () => {
        if (fs.existsSync(root) || !fs.existsSync(folder) || nextStep(folder, root)) void awaitRoot();
      });
      above.on('error', on.error);
    } catch (error) {
      // The system gives no watch: who asked for one has to look for himself.
      on.error(error);
      return;
    }
    // It may have come between the look and the watch.
    if (fs.existsSync(root) || nextStep(folder, root)) await awaitRoot();
  }

  if (fs.existsSync(root)) watchRoot();
  else await awaitRoot();

  return {
    async close() {
      closed = true;
      above?.close();
      leaveTree?.();
    },
  };
}

/** Whether the next folder on the way from `folder` to `root` exists by now. */
function nextStep(folder: string, root: string): boolean {
  const [step] = path.relative(folder, root).split(path.sep);
  return step !== undefined && step !== '' && fs.existsSync(path.join(folder, step));
}
