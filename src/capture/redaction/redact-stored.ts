// What was stored before a rule existed is redacted later: in small steps, so that others can write in between.
import type { Store } from '../../store/store.ts';
import { redact, redactionVersion, redactJson } from './redact.ts';

const textsInAStep = 500;

/** Brings all stored texts to this version's rules; at once when they are. Stops between two steps when asked to, and goes on next time. */
export async function redactStored(
  {
    store,
    signal,
    outside,
  }: {
    readonly store: Pick<Store, 'removal'>;
    readonly signal?: AbortSignal | undefined;
    /** Removes what files hold of the old texts. After a crash it is called again: the texts count as done only when it has come back. */
    readonly outside?: (() => void) | undefined;
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
    await new Promise(setImmediate);
  }
}
