// Computes vectors in a separate thread or process for as long as texts come. When they end, what it has loaded is freed.
import type { TextThread } from './thread.ts';

interface Apart<T, V> {
  start(ended: () => void): TextThread<T, V>;
  /** How long it waits for more texts. */
  readonly idleMs: number;
  /** The same computation in this thread. From source, as tests run it, there is no file that could be started. */
  here(texts: readonly T[]): V[];
}

/** The signal ends it at once: on a busy machine an answer at low priority may take long. */
export function apart<T, V>({
  start,
  idleMs,
  here,
}: Apart<T, V>): (texts: readonly T[], signal?: AbortSignal) => Promise<V[]> {
  let thread: TextThread<T, V> | undefined;
  let idle: NodeJS.Timeout | undefined;
  return async (texts, signal) => {
    if (import.meta.url.endsWith('.ts')) return here(texts);
    clearTimeout(idle);
    thread ??= start(() => {
      thread = undefined;
    });
    const { ask, end } = thread;
    signal?.addEventListener('abort', end);
    try {
      return await ask(texts);
    } finally {
      signal?.removeEventListener('abort', end);
      clearTimeout(idle);
      idle = setTimeout(end, idleMs).unref();
    }
  };
}
