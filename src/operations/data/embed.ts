import { z } from 'zod';
import { type Context, operation } from '../operation.ts';

export const embed = operation({
  name: 'embed',
  summary: 'Finish the index for search by meaning now, without waiting for the worker',
  input: z.object({}),
  output: z.object({
    model: z.string().nullable().describe('null: search by meaning is switched off'),
    entries: z.int().describe('entries that can be found by meaning'),
    refined: z.int().describe('texts that this command embedded in full'),
    left: z.int().describe('texts still waiting; another process may be embedding them'),
  }),
  surfaces: ['cli'],
  examples: ['holdfast embed'],
  async run({ store, config, clock, signal, progress }: Context<'vectors'>) {
    // Loaded only here so that a search does not pay for it.
    const { embedPending } = await import('../../embedding/pending.ts');
    const before = await store.vectors.counts();
    const sizes = { files: 0, totalFiles: 0, bytes: 0, totalBytes: 0 };
    await embedPending({
      store,
      config,
      clock,
      signal,
      refine: true,
      progress: progress && ((done, total) => progress({ ...sizes, embedded: { done, total } })),
    });
    signal?.throwIfAborted();
    const [models, after] = await Promise.all([store.vectors.models(), store.vectors.counts()]);
    return {
      model: models.find(({ wanted }) => wanted)?.name ?? null,
      entries: after.embedded,
      refined: Math.max(0, before.rough + before.pending - after.rough - after.pending),
      left: after.rough + after.pending,
    };
  },
});
