// Reports transcripts that appear or grow below a folder, even if that folder is created later, or is removed and comes back.
import fs from 'node:fs';
import path from 'node:path';
import { type TreeEvents, watchTree } from './tree.ts';

export interface Watch {
  close(): Promise<void>;
}

/**
 * Resolves when the watch is active. Does not report files that exist at that moment: the scan reads them.
 * If the system refuses a watch, only `error` is called.
 * `onRoot` is called whenever the folder has come back: its files must then be scanned. `into` and `links`: see `watchTree`.
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

  /** Watches the nearest existing folder above until the root exists again. */
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
      // The system refuses a watch: the caller has to scan instead.
      on.error(error);
      return;
    }
    // The folder may have appeared between the check and the watch.
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

/** Whether the next folder on the way from `folder` to `root` exists now. */
function nextStep(folder: string, root: string): boolean {
  const [step] = path.relative(folder, root).split(path.sep);
  return step !== undefined && step !== '' && fs.existsSync(path.join(folder, step));
}
