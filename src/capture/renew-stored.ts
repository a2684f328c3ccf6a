// Makes entries of older versions as easy to find as new ones: in small steps, so that other processes can write in between.
import type { Store } from '../store/store.ts';

const rowsInAStep = 500;

/** Returns at once if there is nothing to renew. Stops between two steps on abort, and continues next time. */
export async function renewStored({
  store,
  signal,
}: {
  readonly store: Pick<Store, 'admin'>;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  while (!(await store.admin.renewDerived(rowsInAStep)).done && !signal?.aborted) await new Promise(setImmediate);
}
