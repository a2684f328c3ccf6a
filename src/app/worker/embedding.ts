// The worker's share of embedding: live sessions at once and in small steps, slow work in the background.
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbedDeps, embedPending, noteTrouble } from '../../embedding/pending.ts';
import type { Quiet } from './quiet.ts';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

/** Texts per step: hooks and searches get their turn between two steps. */
const step = 50;
const pauseMs = 50;

/** When woken, it checks whether a text lacks a vector, which costs next to nothing if none does. Idle: the running step is saved. */
export function embedding(
  {
    store,
    config,
    clock,
    log,
    work,
    requests,
  }: Pick<WorkerDeps, 'store' | 'config' | 'clock' | 'log' | 'work'> & { readonly requests: Pick<Quiet, 'wait'> },
  signal: AbortSignal,
): Repeated {
  // The settings may have changed since the start.
  const embed = (progress: EmbedDeps['progress']) =>
    embedPending({ store, config: config.reload(), clock, signal, batch: step, pause, refine: true, progress });
  const pause = async () => {
    await sleep(pauseMs);
    await requests.wait();
  };

  async function run(): Promise<void> {
    await requests.wait();
    const trouble = await store.vectors.trouble();
    if (trouble !== undefined && trouble.nextAt > clock()) return;
    try {
      if (work === undefined) await embed(undefined);
      else
        await work.during('embed', (report) =>
          embed((done, total, closely) => report({ kind: closely ? 'refine' : 'embed', done, total })),
        );
    } catch (error) {
      const { message } = await noteTrouble({ store, clock }, error);
      log(`Search by meaning must wait: ${message}`);
    }
  }

  // Even recording a failure may fail, for example on a full disk. The next poll tries again.
  return repeated(run, log, signal);
}
