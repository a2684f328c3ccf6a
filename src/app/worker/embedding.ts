// The worker's share of embedding: what live sessions bring, at once and in small steps; what takes long, at leisure.
import { embedPending, noteTrouble } from '../../embedding/pending.ts';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

/** Texts in a step: between two of them hooks and searches get their turn. */
const step = 50;
const pauseMs = 50;

/** Woken, it looks whether something lacks a vector, which costs next to nothing when nothing does. Idle: the running step is saved. */
export function embedding(
  { store, config, clock, log }: Pick<WorkerDeps, 'store' | 'config' | 'clock' | 'log'>,
  signal: AbortSignal,
): Repeated {
  async function run(): Promise<void> {
    const trouble = await store.vectors.trouble();
    if (trouble !== undefined && trouble.nextAt > clock()) return;
    try {
      // The settings may be others than at the start.
      await embedPending({ store, config: config.reload(), clock, signal, batch: step, pauseMs, refine: true });
    } catch (error) {
      const { message } = await noteTrouble({ store, clock }, error);
      log(`Search by meaning must wait: ${message}`);
    }
  }

  // Even the note of a failure may fail, for want of space say; the next poll tries anew.
  return repeated(run, log, signal);
}
