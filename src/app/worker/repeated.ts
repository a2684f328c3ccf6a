// Work that is woken by many: never twice at once, and once more when it was asked for meanwhile.
import { explain } from '../../system/errors.ts';

export interface Repeated {
  wake(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** Contract: what `work` throws is logged; whoever wakes it next tries anew. */
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
