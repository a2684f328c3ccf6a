// What this machine shares: which folders belong to which project, and which sessions may leave.
import { ignoring } from '../capture/keep.ts';
import { projectOf } from '../capture/project.ts';
import { repositoryFinder } from '../capture/repository.ts';
import type { Config } from '../config/config.ts';
import { isWithin } from '../store/projects/follow-links.ts';
import type { SessionKey } from '../store/sessions/port.ts';
import type { Store } from '../store/store.ts';
import type { HubClient } from './connect.ts';
import type { Membership } from './membership.ts';

/** The ports that the exchange with a hub reads and writes. */
export type HubSideStore = Pick<
  Store,
  | 'admin'
  | 'changes'
  | 'groups'
  | 'hub'
  | 'memory'
  | 'pages'
  | 'projects'
  | 'removal'
  | 'sessions'
  | 'transcripts'
  | 'transfer'
  | 'vault'
>;

export interface HubDeps {
  readonly store: HubSideStore;
  readonly config: Config;
  readonly clock: () => number;
  readonly client: HubClient;
  readonly membership: Membership;
  readonly signal?: AbortSignal | undefined;
}

export interface Share {
  readonly id: number;
  readonly person: number;
  readonly personName: string;
  readonly project: string;
  readonly name: string;
  readonly audience: 'me' | 'team';
}

/** All shares that this person sees: their own, and what others share with the team. */
export async function visibleShares(client: HubClient): Promise<readonly Share[]> {
  const { rows } = await client.query<Share>(
    `SELECT s.id, s.person, p.name AS "personName", s.project, s.name, s.audience
     FROM holdfast.shares s JOIN holdfast.people p ON p.id = s.person ORDER BY s.id`,
  );
  return rows;
}

/** A folder of this machine that belongs to a repository, with its name in the store. */
export interface LocalProject {
  readonly path: string;
  readonly name: string;
}

/** The store's projects by repository, without ignored folders, folders of groups, and folders outside any repository. */
export async function localProjects({
  store,
  config,
}: Pick<HubDeps, 'store' | 'config'>): Promise<ReadonlyMap<string, readonly LocalProject[]>> {
  const identify = repositoryFinder(config.environment);
  const ignores = ignoring(config.ignore, projectOf);
  const found = new Map<string, LocalProject[]>();
  for (const { path, name } of await store.projects.list()) {
    // The agent of a group writes its folder, and could claim any repository there.
    if (ignores(path) || isWithin(path, config.home)) continue;
    const repository = await identify(path);
    if (repository === undefined) continue;
    found.set(repository, [...(found.get(repository) ?? []), { path, name }]);
  }
  return found;
}

/** Whether a session may leave this machine. A group's session, or one in a folder that is now ignored, may not. */
export function mayLeave({ store, config }: Pick<HubDeps, 'store' | 'config'>) {
  const ignores = ignoring(config.ignore, projectOf);
  return async (session: SessionKey & { readonly cwd: string }): Promise<boolean> =>
    !(session.cwd !== '' && ignores(session.cwd)) && (await store.groups.of(session)) === undefined;
}
