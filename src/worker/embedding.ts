// The worker's share of embedding: what live sessions bring, at once and in small steps; what takes long, at leisure.
import { embedPending, noteTrouble } from '../embedding/pending.ts';
import { explain } from '../errors.ts';
import type { WorkerDeps } from './run.ts';

/** Texts in a step: between two of them hooks and searches get their turn. */
const step = 50;
const pauseMs = 50;

export interface Embedding {
  /** Looks whether something lacks a vector. Costs next to nothing when nothing does. */
  wake(): void;
  /** Resolves when the running step is saved. */
  idle(): Promise<void>;
}

export function embedding(
  { store, config, clock, log }: Pick<WorkerDeps, 'store' | 'config' | 'clock' | 'log'>,
  signal: AbortSignal,
): Embedding {
  let running: Promise<void> | undefined;
  let again = false;

  async function run(): Promise<void> {
    const trouble = await store.embeddingTrouble();
    if (trouble !== undefined && trouble.nextAt > clock()) return;
    try {
      // The settings may be others than at the start.
      await embedPending({ store, config: config.reload(), clock, signal, batch: step, pauseMs });
    } catch (error) {
      const { message } = await noteTrouble({ store, clock }, error);
      log(`Search by meaning must wait: ${message}`);
    }
  }

  async function drain(): Promise<void> {
    while (again && !signal.aborted) {
      again = false;
      // Even the note of a failure may fail, for want of space say; the next poll tries anew.
      await run().catch((error) => signal.aborted || log(explain(error, 'the worker').message));
    }
    running = undefined;
  }

  return {
    wake() {
      again = true;
      running ??= drain();
    },
    async idle() {
      await running;
    },
  };
}
