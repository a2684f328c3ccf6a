// After an update, rereads transcripts that an older version has read: one bounded part after the other, each by a separate process at low
// priority.
import { staleTranscripts } from '../../capture/reread.ts';
import { plural } from '../../language/plural.ts';
import { type Repeated, repeated } from './repeated.ts';
import type { WorkerDeps } from './run.ts';
import type { Reported } from './work.ts';

const hourMs = 3_600_000;

/** Wake it with every poll. `read` is called for each part. If a part makes no progress, the next one waits an hour. */
export function rereading(
  {
    store,
    config,
    clock,
    log,
    reread,
    work,
  }: Pick<WorkerDeps, 'store' | 'config' | 'clock' | 'log' | 'reread' | 'work'>,
  signal: AbortSignal,
  read: (added: number) => void,
): Repeated {
  let done = false;
  let notBefore = Number.NEGATIVE_INFINITY;
  const count = async () => (await staleTranscripts({ store, config })).length;

  async function readParts(): Promise<void> {
    if (reread === undefined || done || clock() < notBefore) return;
    // Even if the part fails: the next poll must not retry at once what has just failed.
    notBefore = clock() + hourMs;
    const total = await count();
    let left = total;
    const readAll = async (report?: (progress: Reported) => void) => {
      while (left > 0 && !signal.aborted) {
        report?.({ done: total - left, total });
        const { entries } = await reread();
        read(entries.added);
        const now = await count();
        if (now >= left) break;
        left = now;
      }
    };
    if (total > 0) await (work === undefined ? readAll() : work.during('reread', readAll));
    const brought = total - left;
    done = left === 0;
    if (brought > 0) log(`read ${plural(brought, 'transcript')} again that an older version had read`);
  }
  return repeated(readParts, log, signal);
}
