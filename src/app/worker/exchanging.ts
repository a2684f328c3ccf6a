// The exchange with the hub, by a separate process at low priority: nothing here waits for the network.
import { hasJoinedHub } from '../../operations/machine/hub-check.ts';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';

const everyMs = 30_000;
/** A hub that does not answer is asked less and less often, up to this interval. */
const seldomMs = 600_000;

/** Wake it with every poll. `pulled` gets the number of new entries. */
export function exchanging(
  { config, clock, log, exchange }: Pick<WorkerDeps, 'config' | 'clock' | 'log' | 'exchange'>,
  signal: AbortSignal,
  pulled: (entries: number) => void,
): Repeated {
  let notBefore = Number.NEGATIVE_INFINITY;
  let waitMs = everyMs;
  async function once(): Promise<void> {
    if (exchange === undefined || clock() < notBefore || !hasJoinedHub(config)) return;
    notBefore = clock() + waitMs;
    try {
      const { pulled: came, pushed } = await exchange();
      waitMs = everyMs;
      if (pushed.entries > 0) log(`pushed ${pushed.entries} entries to the hub`);
      if (came.entries + came.forgotten + came.dropped === 0) return;
      log(`pulled ${came.entries} entries from the hub, forgot ${came.forgotten}`);
      pulled(came.entries);
    } catch (error) {
      waitMs = Math.min(2 * waitMs, seldomMs);
      throw error;
    } finally {
      notBefore = clock() + waitMs;
    }
  }
  return repeated(once, log, signal);
}
