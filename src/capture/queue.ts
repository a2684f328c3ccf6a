// Files waiting for ingest. Each file is queued once, the queue takes one at a time, and a change during a file's turn queues it again.
import { setImmediate as breathe } from 'node:timers/promises';

export interface FileQueue {
  add(file: string): void;
  /** Resolves when the queue is empty and no file is in its turn. */
  idle(): Promise<void>;
  /** Queues again the files whose turn failed. */
  retry(): void;
}

/** When a waiting file was first and last reported. */
interface Told {
  readonly first: number;
  last: number;
}

/**
 * A file's turn comes `settleMs` after its last report, so a burst of changes is one turn. A file that never rests still gets
 * a turn from time to time, and one more at the end. The watcher drops changes that follow another within 50 ms,
 * so `settleMs` must be longer: only then does a turn see everything that happened before the next report.
 */
export function fileQueue(
  take: (file: string) => Promise<void>,
  onError: (file: string, error: unknown) => void,
  settleMs = 100,
): FileQueue {
  const waiting = new Map<string, Told>();
  const parked = new Set<string>();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const due = ({ first, last }: Told): number => Math.min(last + settleMs, first + 10 * settleMs);

  function nextDue(): [string, Told] | undefined {
    const now = performance.now();
    for (const one of waiting) if (due(one[1]) <= now) return one;
    return undefined;
  }

  async function drain(): Promise<void> {
    for (let next = nextDue(); next !== undefined; next = nextDue()) {
      const [file, { last }] = next;
      waiting.delete(file);
      if (last + settleMs > performance.now()) waiting.set(file, { first: last, last });
      try {
        await take(file);
      } catch (error) {
        parked.add(file);
        onError(file, error);
      }
      // A question that came in during this turn is answered before the next one.
      await breathe();
    }
  }

  function wake(): void {
    if (timer !== undefined || running !== undefined || waiting.size === 0) return;
    let earliest = Number.POSITIVE_INFINITY;
    for (const told of waiting.values()) earliest = Math.min(earliest, due(told));
    timer = setTimeout(
      () => {
        timer = undefined;
        running = drain().finally(() => {
          running = undefined;
          wake();
        });
      },
      Math.max(0, earliest - performance.now()),
    );
  }

  return {
    add(file) {
      parked.delete(file);
      const now = performance.now();
      const told = waiting.get(file);
      if (told === undefined) waiting.set(file, { first: now, last: now });
      else told.last = now;
      wake();
    },
    async idle() {
      while (running !== undefined || timer !== undefined) {
        await (running ?? new Promise((resolve) => setTimeout(resolve, settleMs / 2)));
      }
    },
    retry() {
      const longAgo = performance.now() - settleMs;
      for (const file of parked) waiting.set(file, { first: longAgo, last: longAgo });
      parked.clear();
      wake();
    },
  };
}
