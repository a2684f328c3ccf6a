// Finds the page of a project. Worktrees and clones of a repository share one page; two projects with the same name do not.
import { createHash } from 'node:crypto';
import type { ProjectPlace } from '../../store/projects/port.ts';
import type { Store } from '../../store/store.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The common form of all spellings that would give the same file name. */
const spelling = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/[\s_-]+/g, '-');

/** The identity of a project: the repository that its sessions name, or else its folder. */
const identityOf = ({ path, name, repositories }: ProjectPlace): string => {
  const [only, ...others] = repositories;
  const isOwn =
    only !== undefined && others.length === 0 && only.split('/').at(-1)?.toLowerCase() === name.toLowerCase();
  return isOwn ? only.toLowerCase().split('/').slice(-2).join('/') : path;
};

/** The name of each project's page, by its folder. It does not depend on the order of the projects. */
export function homesOf(places: readonly ProjectPlace[]): ReadonlyMap<string, string> {
  const sharing = new Map<string, Set<string>>();
  for (const place of places) {
    const slug = spelling(place.name);
    sharing.set(slug, (sharing.get(slug) ?? new Set()).add(identityOf(place)));
  }
  return new Map(
    places.map((place) => {
      const isAlone = (sharing.get(spelling(place.name))?.size ?? 0) < 2;
      return [place.path, isAlone ? place.name : `${place.name}-${hash(identityOf(place)).slice(0, 4)}`];
    }),
  );
}

/** A hash of the page names that differ from their folders' names. When it changes, the librarian places all statements again. */
export const homeRules = (homes: ReadonlyMap<string, string>): string => {
  const told = [...homes]
    .filter(([path, home]) => home !== (path.split('/').at(-1) || path))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return told.length === 0 ? '' : hash(JSON.stringify(told)).slice(0, 12);
};

/** The page name of the project that a session worked in. The project's own name if the session is not known. */
export async function homeOf(
  store: Pick<Store, 'sessions'>,
  homes: ReadonlyMap<string, string>,
  { agent, session, project }: { readonly agent?: string; readonly session: string; readonly project: string },
): Promise<string> {
  // If no page has this name, there is nothing to look up.
  if (project === '' || [...homes.values()].every((home) => home !== project && !home.startsWith(`${project}-`)))
    return project;
  const found = (await store.sessions.find(session)).find(
    (one) => one.id === session && (agent ?? one.agent) === one.agent,
  );
  return homes.get(found?.projectPath ?? '') ?? project;
}
