// Which model searches by meaning now, and why it is missing or incomplete.
import type { Config } from '../../config/config.ts';
import type { Embedder } from '../../embedding/embedder.ts';
import { embedderOf } from '../../embedding/index.ts';
import { withCommas } from '../../schema/with-commas.ts';
import type { Store } from '../../store/store.ts';
import type { VectorModel } from '../../store/vectors/port.ts';
import { explain } from '../../system/errors.ts';

/** How soon a search sees changed settings. */
const settingsMs = 1000;

export interface Chosen {
  readonly model?: string;
  /** Reads queries for the model. */
  readonly embedder?: Embedder | undefined;
  /** A sentence for the answer. */
  readonly note?: string;
}

export interface Choosing {
  choose(): Promise<Chosen>;
  close(): Promise<void>;
}

export function openChoosing(store: Pick<Store, 'vectors'>, config: Config): Choosing {
  let embedder: Embedder | undefined;
  let settings = { config, readAt: Number.NEGATIVE_INFINITY };

  /** The wanted model once all have its vectors. Until then the previous one, if it can still read a query. */
  async function choose(): Promise<Chosen> {
    const models = await store.vectors.models();
    const wanted = models.find((model) => model.wanted);
    const inOrder = [wanted?.complete ? wanted : undefined, ...models.filter((model) => model.complete), wanted];
    try {
      if (performance.now() - settings.readAt > settingsMs)
        settings = { config: config.reload(), readAt: performance.now() };
      const { config: current } = settings;
      if (current.settings.embedding.kind === 'none')
        return { note: 'Search by meaning is switched off (embedding.kind).' };
      for (const model of inOrder.filter((one): one is VectorModel => one?.dimensions !== undefined)) {
        if (embedder?.model !== model.name) {
          await embedder?.close();
          embedder = embedderOf(current, model.name);
        }
        if (embedder !== undefined) return { model: model.name, embedder, ...(await progressNote(store, model)) };
      }
    } catch (error) {
      return { note: `Search by meaning does not work: ${explain(error, 'embedding').message}` };
    }
    return models.length === 0
      ? {}
      : { note: 'Nothing can be found by meaning yet; entries are being prepared for it.' };
  }

  return { choose, close: async () => embedder?.close() };
}

async function progressNote(store: Pick<Store, 'vectors'>, model: VectorModel): Promise<{ note?: string }> {
  if (model.complete) return {};
  const { embedded, pending } = await store.vectors.counts();
  const [done, all] = [embedded, embedded + pending].map(withCommas);
  return { note: `Only ${done} of ${all} entries can be found by meaning so far.` };
}
