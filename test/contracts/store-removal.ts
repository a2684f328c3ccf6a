// The contract of `store.removal`: what every engine must do.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { chunk, committing, entry, finding } from './chunks.ts';
import type { OpenStore } from './store.ts';

export function describeRemoval(open: () => OpenStore): void {
  describe('store.removal', () => {
    let store: Store;
    beforeEach(() => {
      store = open().store;
    });
    const commit = committing(open);
    const find = finding(open);

    it('puts every text through a change, a few at a time, once for each version', async () => {
      const uses = [{ id: 't', tool: 'Bash', input: '{"command":"old"}', files: [] }];
      await commit(chunk([entry('a', 'old one'), entry('b', 'old two', { toolUses: uses }), entry('c', 'new')]));
      const change = {
        text: (text: string) => text.replace('old', 'fresh'),
        json: (text: string) => text.replace('old', 'new'),
      };
      const steps: { outside: boolean; share: number }[] = [];
      for (let i = 0; i < 20 && !steps.at(-1)?.outside; i++) steps.push(await store.removal.rewriteTexts(1, change, 2));
      expect(steps.length).toBeGreaterThan(2);
      const shares = steps.map(({ share }) => share);
      expect(shares, 'it gets nearer to the end with each step').toEqual(shares.toSorted((a, b) => a - b));
      expect([shares[0] ?? 1, shares.at(-1)]).toEqual([expect.closeTo(0.5, 0), 1]);
      const texts = (await store.entries.transcript('claude-code', 's1')).map(({ text }) => text);
      expect(texts).toEqual(['fresh one', 'fresh two', 'new']);
      expect((await store.entries.toolUses(['b']))[0]?.input).toBe('{"command":"new"}');
      expect(await find('old')).toEqual([]);
      expect(await find('fresh')).toEqual(['a', 'b']);
      expect((await store.sessions.list({}))[0]?.title).toBe('fresh one');
      const never = { text: () => 'never', json: () => 'never' };
      // It is done when the caller says so, and only for the version that was processed.
      await store.removal.finishRewriting(2);
      expect(await store.removal.rewriteTexts(1, never, 9)).toMatchObject({ done: false, outside: true });
      await store.removal.finishRewriting(1);
      expect(await store.removal.rewriteTexts(1, never, 9)).toMatchObject({ done: true, outside: false });
      expect(await find('never')).toEqual([]);
    });
  });
}
