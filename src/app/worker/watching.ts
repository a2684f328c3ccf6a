// Watches every folder in which agents write.
import type { Agent } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import { isHomeTranscript, leadsToTranscripts } from '../../capture/group-sources.ts';
import { keyIn } from '../../capture/sources.ts';
import { type Watch, watchFolder } from '../../capture/watch.ts';
import { type Pulling, pulling } from './pulling.ts';
import type { Due, WorkerDeps } from './run.ts';

export interface Watching {
  readonly pulls: Pulling;
  close(): Promise<void>;
}

export interface WatchParts {
  readonly due: Due;
  /** A file has grown. */
  readonly file: (file: string) => void;
  /** A whole folder has to be scanned. */
  readonly root: () => void;
  readonly complain: (error: unknown) => void;
}

/** Contract: if a later watch throws, everything opened so far is closed again. */
export async function watching(deps: WorkerDeps, parts: WatchParts, signal: AbortSignal): Promise<Watching> {
  const { config, store, clock, running, log } = deps;
  const { due, file, root: whole, complain } = parts;
  const watches: Watch[] = [];
  const close = async () => void (await Promise.all(watches.map((watch) => watch.close())));
  const blinded = (error: unknown) => {
    due.everyPoll = true;
    complain(error);
  };
  const told = { file, root: whole, error: blinded };

  async function watchAgent(agent: Agent): Promise<void> {
    const root = config.watchPath(agent);
    const isWanted = (path: string) => agent.isTranscript(keyIn(root, path));
    const enters = agent.enters && ((folder: string) => agent.enters?.(keyIn(root, folder)) === true);
    watches.push(await watchFolder(root, isWanted, told, enters, true));
  }

  async function watchHomes(): Promise<void> {
    const isWanted = (path: string) => isHomeTranscript(config, path);
    watches.push(
      await watchFolder(config.agentHomesPath, isWanted, told, (folder) => leadsToTranscripts(config, folder)),
    );
  }

  const lineFiles = (agents as readonly Agent[]).filter(
    (agent) => (agent.pull === undefined || agent.pull.beside !== undefined) && config.enabled(agent),
  );
  try {
    await Promise.all([...lineFiles.map(watchAgent), watchHomes()]);
    const pulls = await pulling(
      { store, config, clock, running, signal },
      { wake: file, say: log, error: complain, blinded },
    );
    watches.push(...pulls.watches);
    return { pulls, close };
  } catch (error) {
    await close();
    throw error;
  }
}
