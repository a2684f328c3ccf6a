// Names by which a person can tell projects apart, although their folders have the same name.
import type { Statements } from '../sqlite/connection.ts';

/** Tools keep the worktrees of a repository in such a folder of it. */
const worktree = /^(.*)[/\\]\.(?:claude[/\\])?worktrees[/\\]([^/\\]+)$/;

interface Part {
  readonly text: string;
  /** What stands between it and the part before. */
  readonly before: string;
}

/**
 * For each path its last folder, with as many folders before it as tell it apart from the other paths. A worktree
 * stands behind its repository: `cli › 3`.
 */
export function labelsOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  let left = new Map(paths.map((path) => [path, partsOf(path)]));
  const all = [...left.values()];
  for (let length = 1; left.size > 0; length++) {
    const counts = new Map<string, number>();
    for (const parts of all) counts.set(endOf(parts, length), (counts.get(endOf(parts, length)) ?? 0) + 1);
    const next = new Map<string, Part[]>();
    for (const [path, parts] of left) {
      const label = endOf(parts, length);
      const isWorktreeAlone = length === 1 && parts.at(-1)?.before === ' › ';
      if (length < parts.length && (isWorktreeAlone || counts.get(label) !== 1)) next.set(path, parts);
      else labels.set(path, label);
    }
    left = next;
  }
  return labels;
}

function partsOf(path: string): Part[] {
  const [, repository = path, tree] = worktree.exec(path) ?? [];
  const folders = repository.split(/[/\\]/).filter((text) => text !== '');
  return [
    ...folders.map((text) => ({ text, before: '/' })),
    ...(tree === undefined ? [] : [{ text: tree, before: ' › ' }]),
  ];
}

const endOf = (parts: readonly Part[], length: number): string =>
  parts
    .slice(-length)
    .map(({ text, before }, i) => (i === 0 ? text : `${before}${text}`))
    .join('');

/** If more projects share a name, they keep it: each new one would compare all of them again. */
const mostLabelled = 100;

/** The label of a path among all paths of projects with its name. Null if the name is enough, or too many share it. */
export function labelOf(path: string, name: string, paths: readonly string[]): string | null {
  if (paths.length > mostLabelled) return null;
  return unlessName(labelsOf(paths).get(path), name);
}

const unlessName = (label: string | undefined, name: string): string | null =>
  label === undefined || label === name || label === '' ? null : label;

/** Call it when a project with this name was added, moved or removed. */
export function relabelling(connection: Statements): (name: string) => void {
  const named = connection.statement<[string], { id: number; path: string }>(
    `SELECT id, path FROM projects WHERE name = ? LIMIT ${mostLabelled + 1}`,
  );
  const set = connection.statement('UPDATE projects SET label = @label WHERE id = @id AND label IS NOT @label');
  return (name) => {
    const projects = named.all(name);
    if (projects.length > mostLabelled) return;
    const labels = labelsOf(projects.map(({ path }) => path));
    for (const { id, path } of projects) set.run({ id, label: unlessName(labels.get(path), name) });
  };
}
