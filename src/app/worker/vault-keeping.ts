// Copies of transcripts: filled when one has grown, thinned once a day.
import { fillVault, thinVault } from '../../capture/vault/vault.ts';
import type { Due, WorkerDeps } from './run.ts';
import type { Reported } from './work.ts';

const dayMs = 86_400_000;

export function vaultKeeping(deps: WorkerDeps, due: Due, signal: AbortSignal): () => Promise<void> {
  const { store, config, clock, running, work } = deps;
  const fill = (progress?: (progress: Reported) => void) =>
    fillVault({ store, config, clock, running, signal }, { progress });
  let thinnedAt = 0;
  return async () => {
    if (due.vault) {
      due.vault = false;
      // A transcript that is still being written is copied at a later poll.
      due.vault = (await (work === undefined ? fill() : work.during('copy', fill))).waiting;
    }
    if (clock() - thinnedAt > dayMs) {
      thinnedAt = clock();
      await thinVault({ store, config, clock });
    }
  };
}
