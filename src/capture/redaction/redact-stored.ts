// Redacts texts that were stored before a rule existed: in small steps, so that other processes can write in between.
import type { Store } from '../../store/store.ts';
import { redact, redactionVersion, redactJson } from './redact.ts';

const textsInAStep = 500;

/** Redacts all stored texts by this version's rules; returns at once if that is done. Stops between two steps on abort, and continues next time. */
export async function redactStored(
  {
    store,
    signal,
    outside,
    progress,
  }: {
    readonly store: Pick<Store, 'removal'>;
    readonly signal?: AbortSignal | undefined;
    /** Removes old texts from files. After a crash it is called again: the texts count as done only after it has returned. */
    readonly outside?: (() => void) | undefined;
    /** How much is done, from 0 to 1. */
    readonly progress?: ((share: number) => void) | undefined;
  },
  version = redactionVersion,
): Promise<{ done: boolean; changed: number }> {
  let changed = 0;
  for (;;) {
    const step = await store.removal.rewriteTexts(version, { text: redact, json: redactJson }, textsInAStep);
    changed += step.changed;
    if (step.outside) {
      if (step.changed > 0) outside?.();
      await store.removal.finishRewriting(version);
      return { done: true, changed };
    }
    if (step.done || signal?.aborted) return { done: step.done, changed };
    if (step.share < 1) progress?.(step.share);
    await new Promise(setImmediate);
  }
}
