// Imports growing transcripts, one file after the other.
import fs from 'node:fs';
import { ingestSources } from '../../capture/ingest-sources.ts';
import type { LiveDeps } from '../../capture/live/hook.ts';
import { type FileQueue, fileQueue } from '../../capture/queue.ts';
import { fileSource } from '../../capture/sources.ts';
import type { LiveEvents } from '../../schema/live-event.ts';
import { archiveSession } from '../../sessions/archives/archives.ts';
import { groupFolders } from '../../sessions/groups/group-folders.ts';
import { systemCode } from '../../system/errors.ts';
import type { Due, WorkerDeps } from './run.ts';
import type { Turns } from './turns.ts';

export function takingIn(
  deps: WorkerDeps,
  parts: {
    readonly due: Due;
    readonly seen: Turns;
    readonly events: LiveEvents;
    readonly vectors: { wake(): void };
    readonly complain: (error: unknown) => void;
  },
  signal: AbortSignal,
): FileQueue {
  const { config, log } = deps;
  const { due, seen, events, vectors, complain } = parts;
  return fileQueue(
    async (file) => {
      const size = sizeOf(file);
      // The entries of a transcript stay when its file is gone.
      if (size === undefined || signal.aborted) return;
      const source = fileSource(config, { path: file, size }, config.home);
      if (source === undefined) return;
      deps.computes?.();
      const pass = await ingestSources({ ...deps, signal, progress: undefined }, [source], false);
      for (const problem of pass.problems) log(problem.message);
      const { agent, key } = source;
      const { session } = agent.describe(key);
      due.vault = due.index = true;
      if (pass.added > 0 && agent.hooks !== undefined) await seen.moved(agent.name, session);
      if (pass.added > 0) events.publish({ kind: 'entries', agent: agent.name, session, added: pass.added });
      vectors.wake();
    },
    (_, error) => complain(error),
  );
}

/** Archives a session that its client compacts. The client does not wait for it. */
export const archivingAfter =
  (
    { store, config, clock }: WorkerDeps,
    queue: FileQueue,
    complain: (error: unknown) => void,
  ): NonNullable<LiveDeps['compacts']> =>
  (agent, session) =>
    void queue
      .idle()
      .then(() => store.groups.of({ agent, session }))
      .then((group) => (group === undefined ? undefined : groupFolders(config, group).conversations))
      .then((folder) => archiveSession({ store, config, clock }, { agent, session, folder }))
      .catch(complain);

function sizeOf(file: string): number | undefined {
  try {
    const stat = fs.statSync(file);
    return stat.isFile() ? stat.size : undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
