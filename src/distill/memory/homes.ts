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

/** `owner/name` of a repository. Sessions may leave out the host. */
const short = (repository: string): string => repository.toLowerCase().split('/').slice(-2).join('/');

/** The repositories that a project's sessions name, if they are plausibly its own: sessions also mention other ones. */
const stated = ({ name, repositories }: ProjectPlace): string[] =>
  repositories.map(short).filter((one) => one.split('/').at(-1) === name.toLowerCase());

/** One name for a repository and its forks: a project whose sessions name both belongs to both. */
function commonForks(places: readonly ProjectPlace[]): ReadonlyMap<string, string> {
  const common = new Map<string, string>();
  for (const names of places.map(stated)) {
    const all = new Set(names.flatMap((name) => [name, common.get(name) ?? name]));
    const [first = ''] = [...all].sort();
    for (const [name, now] of common) if (all.has(now)) common.set(name, first);
    for (const name of all) common.set(name, first);
  }
  return common;
}

/**
 * What each project is, by its folder: the repository as git names it, otherwise as sessions name it or as the path ends with a known one,
 * otherwise the folder.
 */
function identities(places: readonly ProjectPlace[]): ReadonlyMap<string, string> {
  const known = new Set(places.flatMap(({ repository }) => repository ?? []));
  const forks = commonForks(places);
  const fullOf = (name: string): string => {
    const same = new Set([name, ...[...forks].flatMap(([fork, now]) => (now === name ? fork : []))]);
    const [full, ...others] = [...known].filter((one) => same.has(short(one)));
    return full === undefined || others.length > 0 ? name : full;
  };
  const isKnown = (name: string): boolean => forks.has(name) || [...known].some((one) => short(one) === name);
  return new Map(
    places.map((place) => {
      const { path, repository } = place;
      const ending = short(path);
      const name = stated(place)[0] ?? (isKnown(ending) ? ending : undefined);
      return [path, repository ?? (name === undefined ? path : fullOf(forks.get(name) ?? name))];
    }),
  );
}

/** The common name of clones: that of their folders if it is the same, otherwise that of the repository. */
function commonName(identity: string, names: readonly string[]): string {
  const [first = identity] = [...names].sort();
  const spellings = new Set(names.map(spelling));
  return spellings.size < 2 || identity.startsWith('root:') ? first : (identity.split('/').at(-1) ?? first);
}

/** The name of each project's page, by its folder. It does not depend on the order of the projects. */
export function homesOf(places: readonly ProjectPlace[]): ReadonlyMap<string, string> {
  const identity = identities(places);
  const names = new Map<string, string[]>();
  for (const { path, name } of places) {
    const own = identity.get(path) ?? path;
    names.set(own, [...(names.get(own) ?? []), name]);
  }
  const sharing = new Map<string, number>();
  for (const [own, all] of names) {
    const slug = spelling(commonName(own, all));
    sharing.set(slug, (sharing.get(slug) ?? 0) + 1);
  }
  return new Map(
    places.map(({ path, name }) => {
      const own = identity.get(path) ?? path;
      const all = names.get(own) ?? [name];
      const common = commonName(own, all);
      const isAlone = (sharing.get(spelling(common)) ?? 0) < 2;
      return [path, isAlone ? common : `${common}-${hash(own).slice(0, 4)}`];
    }),
  );
}

const folderName = (path: string): string => path.split('/').at(-1) || path;

/** A hash of the page names that differ from their folders' names. When it changes, the librarian places all statements again. */
export const homeRules = (homes: ReadonlyMap<string, string>): string => {
  const told = [...homes].filter(([path, home]) => home !== folderName(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  return told.length === 0 ? '' : hash(JSON.stringify(told)).slice(0, 12);
};

/** The page name of the project that a session worked in. The project's own name if the session is not known. */
export async function homeOf(
  store: Pick<Store, 'sessions'>,
  homes: ReadonlyMap<string, string>,
  { agent, session, project }: { readonly agent?: string; readonly session: string; readonly project: string },
): Promise<string> {
  // If every folder of this name has the page of this name, there is nothing to look up.
  if (project === '' || [...homes].every(([path, home]) => folderName(path) !== project || home === project))
    return project;
  const found = (await store.sessions.find(session)).find(
    (one) => one.id === session && (agent ?? one.agent) === one.agent,
  );
  return homes.get(found?.projectPath ?? '') ?? project;
}
