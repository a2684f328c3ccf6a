// Creates vectors for what an operation has just stored, if the embedder answers at once.
import type { Context } from '../operation.ts';

/** Contract: never throws. Without vectors, keywords still find the text; the worker embeds it later. */
export async function embedNow({
  store,
  config,
  clock,
  signal,
}: Pick<Context<'vectors'>, 'store' | 'config' | 'clock' | 'signal'>): Promise<void> {
  const { embedPending } = await import('../../embedding/pending.ts');
  await embedPending({ store, config, clock, signal, instantOnly: true }).catch(() => undefined);
}
