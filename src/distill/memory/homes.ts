// Which page a project has. Worktrees and clones of one repository share it; two projects that only share a name do not.
import { createHash } from 'node:crypto';
import type { ProjectPlace } from '../../store/projects/port.ts';
import type { Store } from '../../store/store.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Two spellings of one name, as names of files see it. */
const spelling = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/[\s_-]+/g, '-');

/** What tells one project from another: the repository that its sessions name, else its folder. */
const identityOf = ({ path, name, repositories }: ProjectPlace): string => {
  const [only, ...others] = repositories;
  const isOwn =
    only !== undefined && others.length === 0 && only.split('/').at(-1)?.toLowerCase() === name.toLowerCase();
  return isOwn ? only.toLowerCase().split('/').slice(-2).join('/') : path;
};

/** The name of each project's page, by its folder. A function of the set of projects, not of their order. */
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

/** What decides where statements about projects are placed: with others, all of them are placed again. */
export const homeRules = (homes: ReadonlyMap<string, string>): string => {
  const told = [...homes]
    .filter(([path, home]) => home !== (path.split('/').at(-1) || path))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return told.length === 0 ? '' : hash(JSON.stringify(told)).slice(0, 12);
};

/** The name of the page of the project that a session worked in; the project's own name where the session is not known. */
export async function homeOf(
  store: Pick<Store, 'sessions'>,
  homes: ReadonlyMap<string, string>,
  { agent, session, project }: { readonly agent?: string; readonly session: string; readonly project: string },
): Promise<string> {
  // Where no two projects share a name, nothing has to be looked up.
  if (project === '' || [...homes.values()].every((home) => home !== project && !home.startsWith(`${project}-`)))
    return project;
  const found = (await store.sessions.find(session)).find(
    (one) => one.id === session && (agent ?? one.agent) === one.agent,
  );
  return homes.get(found?.projectPath ?? '') ?? project;
}
