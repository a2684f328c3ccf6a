// A working folder's project: its git root; for a worktree, the main repository.
import path from 'node:path';
import { followLinks } from '../store/projects/follow-links.ts';
import type { ProjectLink } from '../store/projects/port.ts';
import { readSome, statIfAny } from '../system/read-some.ts';

export interface ProjectRules {
  /** Each worktree is a project of its own. */
  readonly separateWorktrees: boolean;
  /** Folders that were moved. */
  readonly links: readonly ProjectLink[];
}

const noRules: ProjectRules = { separateWorktrees: false, links: [] };

/** Returns a function that remembers its answers: a pass over transcripts asks about the same few folders many times. */
export function projectFinder({ separateWorktrees, links } = noRules): (folder: string) => string {
  const known = new Map<string, string>();
  return (folder) => {
    const found = known.get(folder) ?? projectOf(followLinks(folder, links), separateWorktrees);
    known.set(folder, found);
    return found;
  };
}

/** Contract: never throws. A folder that no longer exists is its own project, unless its path shows that it was a worktree. */
export function projectOf(folder: string, separateWorktrees = false): string {
  if (!path.isAbsolute(folder)) return folder;
  const start = path.resolve(folder);
  if (!isFolder(start)) return separateWorktrees ? start : vanishedTree(start);
  for (let at = start; ; at = path.dirname(at)) {
    const git = path.join(at, '.git');
    const stat = statIfAny(git);
    if (stat?.isDirectory()) return at;
    if (stat?.isFile()) return separateWorktrees ? at : mainTree(at, git);
    if (at === path.dirname(at)) return start;
  }
}

/** Folders inside the repository where programs put worktrees: `.worktrees`, or a hidden folder of the program. */
const insideRepository = /^(.+?)\/(?:\.worktrees|\.[a-z]+\/worktrees|\.trees)\/[^/]+(?:\/.*)?$/;
/** A program's folder for the worktrees of all repositories, with one folder for each repository's name. */
const besideRepository =
  /^(.+\/(?:\.[a-z]+\/worktrees|\.[a-z]+-worktrees|conductor\/workspaces|vibe-kanban\/worktrees)\/[^/]+)\/[^/]+(?:\/.*)?$/;
const homeFolder = /^(?:\/|\/root|\/(?:home|Users)\/[^/]+|\/home|\/Users|\/tmp|[A-Za-z]:(?:\/Users\/[^/]+)?)$/;

/** The repository of a folder that no longer exists, if the folder's path is that of a worktree. */
function vanishedTree(folder: string): string {
  const inside = insideRepository.exec(folder)?.[1];
  // A home folder is not a repository: the path does not show which repositories the worktrees in it belong to.
  if (inside !== undefined && !homeFolder.test(inside)) return isFolder(inside) ? projectOf(inside) : inside;
  return besideRepository.exec(folder)?.[1] ?? folder;
}

/** A `.git` file has one line with a path. */
const longestGitFile = 10_000;

/** `.git` is a file in a worktree (it names `<main>/.git/worktrees/<name>`) and in a submodule (a project of its own). */
function mainTree(folder: string, file: string): string {
  const named = /^gitdir: (.+)$/m.exec(readSome(file, longestGitFile) ?? '')?.[1];
  const main =
    named === undefined ? null : /^(.+)[/\\]\.git[/\\]worktrees[/\\][^/\\]+$/.exec(path.resolve(folder, named.trim()));
  return main?.[1] ?? folder;
}

/** Missing or not readable: treat the path as a name only. */
const isFolder = (folder: string): boolean => statIfAny(folder)?.isDirectory() === true;
