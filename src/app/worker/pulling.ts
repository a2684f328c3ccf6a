// Agents that write no line files: watches their sources, and pulls new data into transcripts that Holdfast writes.
import path from 'node:path';
import { type KnownMarks, type PullDeps, pullers, pullFrom } from '../../capture/pull/pull.ts';
import { redactPulled } from '../../capture/pull/rewrite.ts';
import { type FileQueue, fileQueue } from '../../capture/queue.ts';
import { type Watch, watchFolder } from '../../capture/watch.ts';

/** A database changes many times while an answer streams: one pull for all of them. */
const settleMs = 500;

export interface Pulling {
  readonly watches: readonly Watch[];
  readonly queue: Pick<FileQueue, 'idle' | 'retry'>;
}

/** `wake` gets each transcript that has grown. */
export async function pulling(
  deps: PullDeps,
  on: {
    readonly wake: (file: string) => void;
    readonly say: (line: string) => void;
    readonly error: (error: unknown) => void;
    /** The system gives no watch. */
    readonly blinded: (error: unknown) => void;
  },
): Promise<Pulling> {
  const { config, signal } = deps;
  const known: KnownMarks = new Map();
  const enabled = pullers().filter((agent) => config.enabled(agent));
  const queue = fileQueue(
    async (name) => {
      const agent = enabled.find((one) => one.name === name);
      if (agent === undefined || signal?.aborted) return;
      for (const root of config.pullPaths(agent)) {
        const { grown, problems } = await pullFrom(deps, agent, root, known);
        for (const { message } of problems) on.say(message);
        for (const file of grown) on.wake(file);
      }
    },
    (_, error) => on.error(error),
    settleMs,
  );
  await redactPulled(deps, enabled, signal);
  const watches = await Promise.all(
    enabled
      .flatMap((agent) => config.pullPaths(agent).map((root) => ({ agent, root })))
      .map(({ agent, root }) => {
        const keyOf = (file: string) => path.relative(root, file).split(path.sep).join('/');
        const wake = () => queue.add(agent.name);
        return watchFolder(
          root,
          (file) => agent.pull.concerns(keyOf(file)),
          { file: wake, root: wake, error: on.blinded },
          (folder) => agent.pull.leadsTo(keyOf(folder)),
        );
      }),
  );
  return { watches, queue };
}
