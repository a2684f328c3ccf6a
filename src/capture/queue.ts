// Files that wait to be looked at: each stands here once, one is taken at a time, and a change during its turn queues it again.

export interface FileQueue {
  add(file: string): void;
  /** Resolves when nothing waits and nothing is being taken. */
  idle(): Promise<void>;
  /** Files whose turn failed; they wait for `retry`. */
  retry(): void;
}

/** When a waiting file was first and last told of. */
interface Told {
  readonly first: number;
  last: number;
}

/**
 * A file's turn comes `settleMs` after it was last told of: a burst of changes is one turn. One that never rests gets a
 * turn now and then all the same, and one more after the end. The watcher drops changes that follow another within 50 ms,
 * so `settleMs` must be longer: only then does a turn see all that happened before the watcher speaks again.
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
    return [...waiting].find(([, told]) => due(told) <= now);
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
    }
  }

  function wake(): void {
    if (timer !== undefined || running !== undefined || waiting.size === 0) return;
    const earliest = Math.min(...[...waiting.values()].map(due));
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
