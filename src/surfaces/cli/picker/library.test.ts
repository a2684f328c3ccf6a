import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStand, type Stand, session } from '../../../../test/http-stand.ts';
import type { Store } from '../../../store/store.ts';
import type { Choice } from './choice.ts';
import { openLibrary } from './library.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());

describe('what the picker shows', () => {
  it('comes from a running worker: the store is not searched here', async () => {
    const { config, store } = stand.holdfast;
    writeFileSync(join(config.home, 'worker.pid'), '{}');
    const deps = {
      config: { ...config, settings: { ...config.settings, port: stand.server.port } },
      store: { sessions: store.sessions } as Store,
    };
    const library = openLibrary(deps, undefined);
    const found = await library.search('checkout');
    expect(found[0]).toMatchObject({ id: session });
    expect(await library.sessionOf(found[0] as Choice)).toMatchObject({ id: session });
    expect(found[0]?.snippet).toContain('«');
    expect(await library.search('***')).toEqual([]);
    const said = await library.preview(found[0] as Choice);
    expect(said[0]).toMatchObject({ by: 'person' });
    expect(await openLibrary(deps, 'pi').sessions()).toEqual([]);
    await library.close();
  });

  it('leaves out sessions that no agent can resume', async () => {
    const { config, store } = stand.holdfast;
    const all = await store.sessions.list({});
    const odd = { sessions: { list: async () => all.map(({ resume: _, ...one }) => one) } } as unknown as Store;
    expect(all.length).toBeGreaterThan(0);
    expect(await openLibrary({ config, store: odd }, undefined).sessions()).toEqual([]);
  });
});
