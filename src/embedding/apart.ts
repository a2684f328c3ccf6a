// Computes vectors in a separate thread for as long as texts come. When they end, the thread frees what it has loaded.
import { startTextThread, type TextThread } from './thread.ts';

interface Apart<V> {
  /** For messages. */
  readonly name: string;
  /** The file in dist/ that answers. */
  readonly file: string;
  /** How long the thread waits for more texts. */
  readonly idleMs: number;
  /** The same computation in this thread. From source, as tests run it, there is no file that a thread could load. */
  here(texts: readonly string[]): V[];
}

export function apart<V>({ name, file, idleMs, here }: Apart<V>): (texts: readonly string[]) => Promise<V[]> {
  let thread: TextThread<V> | undefined;
  let idle: NodeJS.Timeout | undefined;
  return async (texts) => {
    if (import.meta.url.endsWith('.ts')) return here(texts);
    clearTimeout(idle);
    thread ??= startTextThread<V>(name, file, {
      ended: () => {
        thread = undefined;
      },
    });
    const { ask, end } = thread;
    try {
      return await ask(texts);
    } finally {
      clearTimeout(idle);
      idle = setTimeout(end, idleMs).unref();
    }
  };
}
