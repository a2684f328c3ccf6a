// `--reimport --prune` also removes the older copies of cut transcripts: a recovery would bring back from them what was pruned.
import fs from 'node:fs';
import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/store.ts';
import type { Source } from '../chunk.ts';
import { olderCopies } from './vault.ts';

/** Call after the transcripts were read again. One that could not be read keeps its copies. */
export async function pruneCopies(
  { store, config }: { readonly store: Pick<Store, 'transcripts'>; readonly config: Config },
  sources: readonly Pick<Source, 'agent' | 'key'>[],
): Promise<void> {
  for (const { agent, key } of sources) {
    const copies = olderCopies(config, agent.name, key);
    if (copies.length === 0 || (await store.transcripts.state(agent.name, key))?.status !== 'ok') continue;
    for (const file of copies) fs.rmSync(file, { force: true });
  }
}
