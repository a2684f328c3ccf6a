// The contract of `store.pauses`: what every engine must do.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import type { OpenStore } from './store.ts';

export function describePauses(open: () => OpenStore): void {
  describe('store.pauses', () => {
    let store: Store;
    let opened: OpenStore;
    beforeEach(() => {
      store = open().store;
      opened = open();
    });

    it('has at most one running pause, and keeps those that have ended', async () => {
      expect(await store.pauses.list()).toEqual([]);
      expect(await store.pauses.end({ at: 1 })).toBeUndefined();
      expect(await store.pauses.start({ at: 10 })).toEqual({ from: 10, until: undefined });
      const other = await opened.reopen();
      expect(await other.pauses.start({ at: 20 })).toEqual({ from: 10, until: undefined });
      expect(await other.pauses.end({ at: 30 })).toEqual({ from: 10, until: 30 });
      expect(await store.pauses.start({ at: 40 })).toEqual({ from: 40, until: undefined });
      // The clock was set back.
      expect(await store.pauses.end({ at: 35 })).toEqual({ from: 35, until: 35 });
      expect(await store.pauses.list()).toEqual([
        { from: 10, until: 30 },
        { from: 35, until: 35 },
      ]);
    });
  });
}
