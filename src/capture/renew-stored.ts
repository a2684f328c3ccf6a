// What an older version stored becomes as findable as what is stored now: in small steps, so that others can write in between.
import type { Store } from '../store/store.ts';

const rowsInAStep = 500;

/** At once when there is nothing to renew. Stops between two steps when asked to, and goes on next time. */
export async function renewStored({
  store,
  signal,
}: {
  readonly store: Pick<Store, 'admin'>;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  while (!(await store.admin.renewDerived(rowsInAStep)).done && !signal?.aborted) await new Promise(setImmediate);
}
