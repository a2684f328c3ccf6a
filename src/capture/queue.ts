// Files that wait to be looked at: each stands here once, one is taken at a time, and a change during its turn queues it again.

export interface FileQueue {
  add(file: string): void;
  /** Resolves when nothing waits and nothing is being taken. */
  idle(): Promise<void>;
  /** Files whose turn failed; they wait for `retry`. */
  retry(): void;
}

/** `settleMs` is how long a file may gather changes before its turn: a burst of them is one turn. */
export function fileQueue(
  take: (file: string) => Promise<void>,
  onError: (file: string, error: unknown) => void,
  settleMs = 50,
): FileQueue {
  const waiting = new Set<string>();
  const parked = new Set<string>();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function drain(): Promise<void> {
    for (;;) {
      const [file] = waiting;
      if (file === undefined) return;
      waiting.delete(file);
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
    timer = setTimeout(() => {
      timer = undefined;
      running = drain().finally(() => {
        running = undefined;
        wake();
      });
    }, settleMs);
  }

  return {
    add(file) {
      parked.delete(file);
      waiting.add(file);
      wake();
    },
    async idle() {
      while (running !== undefined || timer !== undefined) {
        await (running ?? new Promise((resolve) => setTimeout(resolve, settleMs)));
      }
    },
    retry() {
      for (const file of parked) waiting.add(file);
      parked.clear();
      wake();
    },
  };
}
