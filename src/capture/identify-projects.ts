// Notes the repository of each project, so that clones are known as one even after a folder is gone.
import type { Config } from '../config/config.ts';
import { isWithin } from '../store/projects/follow-links.ts';
import type { Store } from '../store/store.ts';
import { repositoryOf } from './repository.ts';

/** `again` also looks at folders that were in no repository before. An agent of a group can write its folder, so those say nothing. */
export async function identifyProjects(
  {
    store,
    config,
    signal,
  }: { store: Pick<Store, 'projects'>; config: Pick<Config, 'home' | 'environment'>; signal?: AbortSignal | undefined },
  again = false,
): Promise<void> {
  for (const path of await store.projects.unidentified(again)) {
    if (signal?.aborted) return;
    await store.projects.identify(
      path,
      isWithin(path, config.home) ? undefined : await repositoryOf(path, config.environment),
    );
  }
}
