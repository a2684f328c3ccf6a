// Vectors for what an operation has just stored, where the embedder answers at once.
import type { Context } from '../operation.ts';

/** Contract: never throws. Without vectors it is found by its words; the worker embeds it later. */
export async function embedNow({
  store,
  config,
  clock,
  signal,
}: Pick<Context, 'store' | 'config' | 'clock' | 'signal'>): Promise<void> {
  const { embedPending } = await import('../../embedding/pending.ts');
  await embedPending({ store, config, clock, signal, instantOnly: true }).catch(() => undefined);
}
