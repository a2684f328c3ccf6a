// Work that many callers wake: it never runs twice at once, and runs again if it was woken while running.
import { explain } from '../../system/errors.ts';

export interface Repeated {
  wake(): void;
  /** Resolves when no work is running. */
  idle(): Promise<void>;
}

/** Contract: what `work` throws is logged; the next wake tries again. */
export function repeated(work: () => Promise<void>, log: (line: string) => void, signal: AbortSignal): Repeated {
  let running: Promise<void> | undefined;
  let again = false;

  async function drain(): Promise<void> {
    while (again && !signal.aborted) {
      again = false;
      await work().catch((error) => signal.aborted || log(explain(error, 'the worker').message));
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
