// A memory with what its sessions and turns came to, made without a model.
import { distillSession } from '../src/distill/offline/session.ts';
import type { Store } from '../src/store/store.ts';

export async function distillAll(store: Store): Promise<void> {
  for (const { agent, id } of await store.sessions({})) {
    const { observations, summary } = await distillSession(store, { agent, session: id });
    await store.saveDistilled(observations, summary);
  }
}
