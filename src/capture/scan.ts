// Finds the transcripts below a folder. It opens, moves and locks nothing.
import fs from 'node:fs';
import path from 'node:path';
import { explain } from '../system/errors.ts';

export interface Found {
  readonly path: string;
  readonly size: number;
}

export interface Problem {
  readonly file: string;
  readonly message: string;
  readonly hint?: string;
}

export const problemOf = (file: string, error: unknown): Problem => {
  const { message, hint } = explain(error, file);
  return hint === undefined ? { file, message } : { file, message, hint };
};

const atOnce = 1000;

/**
 * All files below `root` that `wanted` accepts, in a stable order. Follows symbolic links, and reports and skips loops; with `links`
 * false it skips links. With `into`, it enters only folders that `into` accepts. Yields to other work between folders, and within large ones.
 */
export async function scan(
  root: string,
  wanted: (file: string) => boolean,
  { links = true, into = () => true }: { links?: boolean; into?: (folder: string) => boolean } = {},
): Promise<{ found: Found[]; problems: Problem[]; leftOut: number }> {
  const found: Found[] = [];
  const problems: Problem[] = [];
  /** Problems that are not failures. */
  let leftOut = 0;
  const leave = (file: string, why: string) => {
    leftOut++;
    problems.push({ file, message: `${file} ${why}` });
  };
  const ancestors = new Set<string>();

  async function enter(folder: string): Promise<void> {
    if (wanted(folder)) leave(folder, 'is a folder, not a transcript; looked inside it');
    if (into(folder)) await walk(folder);
  }

  function take(file: string): void {
    const stat = fs.statSync(file);
    if (stat.isFile()) found.push({ path: file, size: stat.size });
    else leave(file, 'is neither a file nor a folder; left alone');
  }

  async function walk(folder: string): Promise<void> {
    const real = fs.realpathSync(folder);
    if (ancestors.has(real)) {
      leave(folder, 'is a symbolic link that leads back to a folder above it; not followed');
      return;
    }
    ancestors.add(real);
    await new Promise(setImmediate);
    let looked = 0;
    for (const item of itemsOf(folder)) {
      if (++looked % atOnce === 0) await new Promise(setImmediate);
      if (!links && item.isSymbolicLink()) continue;
      const file = path.join(folder, item.name);
      try {
        if (isFolder(item, file)) await enter(file);
        else if (wanted(file)) take(file);
      } catch (error) {
        problems.push(problemOf(file, error));
      }
    }
    ancestors.delete(real);
  }

  try {
    await walk(root);
  } catch (error) {
    problems.push(problemOf(root, error));
  }
  return { found, problems, leftOut };
}

const itemsOf = (folder: string): fs.Dirent[] =>
  fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));

/** A folder, or a link to one. */
const isFolder = (item: fs.Dirent, file: string): boolean =>
  item.isDirectory() || (item.isSymbolicLink() && fs.statSync(file).isDirectory());
