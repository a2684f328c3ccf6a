// The contract of the store, port by port. An engine passes it with a few lines: see sqlite.test.ts.
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { describeAdmin } from './store-admin.ts';
import { describeChanges } from './store-changes.ts';
import { describeDistilled } from './store-distilled.ts';
import { describeGroups } from './store-groups.ts';
import { describeHost } from './store-host.ts';
import { describePauses } from './store-pauses.ts';
import { describeRemoval } from './store-removal.ts';
import { describeSearch } from './store-search.ts';
import { describeSessions } from './store-sessions.ts';
import { describeTouches } from './store-touches.ts';
import { describeTranscripts } from './store-transcripts.ts';
import { describeUses } from './store-uses.ts';
import { describeVectors } from './store-vectors.ts';

export interface OpenStore {
  readonly store: Store;
  /** Another connection to the same data, or to a backup of it. */
  reopen(backup?: string): Promise<Store>;
  close(): Promise<void>;
}

/** Each test gets a fresh store. */
export function describeStore(name: string, open: () => Promise<OpenStore>): void {
  describe(`${name} fulfils the store's contract`, () => {
    let opened: OpenStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    describeTranscripts(() => opened);
    describeSessions(() => opened);
    describeSearch(() => opened);
    describe('store.search: touched files', () => describeTouches(() => opened));
    describe('store.search: uses of tools', () => describeUses(() => opened));
    describeVectors(() => opened);
    describeDistilled(() => opened);
    describe('store.groups', () => describeGroups(() => opened));
    describe('store.messages, store.runs and store.tasks', () => describeHost(() => opened));
    describeChanges(() => opened);
    describePauses(() => opened);
    describeRemoval(() => opened);
    describeAdmin(() => opened);
  });
}
