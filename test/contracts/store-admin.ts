// The contract of `store.admin`: what every engine must do.
import { beforeEach, describe, expect, it } from 'vitest';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import type { Store } from '../../src/store/store.ts';
import { chunk, committing, entry, finding, rules } from './chunks.ts';
import type { OpenStore } from './store.ts';

export function describeAdmin(open: () => OpenStore): void {
  describe('store.admin', () => {
    let store: Store;
    let opened: OpenStore;
    beforeEach(() => {
      store = open().store;
      opened = open();
    });
    const commit = committing(open);
    const find = finding(open);

    it('is empty at first, and says so without an error', async () => {
      expect(await store.entries.counts()).toMatchObject({ files: 0, entries: 0, sessions: 0, projects: 0 });
      expect(await store.transcripts.states()).toEqual([]);
      expect(await store.transcripts.state('pi', 'x')).toBeUndefined();
      expect(await store.sessions.list({})).toEqual([]);
      expect(await store.conversations.list({})).toEqual([]);
      expect(await store.entries.transcript('pi', 'none')).toEqual([]);
      expect(await store.entries.toolUses([])).toEqual([]);
      expect(await store.admin.integrity()).toEqual([]);
      expect(await find('anything')).toEqual([]);
    });

    it('writes a complete copy while another connection continues to write', async () => {
      await commit(chunk(Array.from({ length: 50 }, (_, i) => entry(`e${i}`, `text ${i}`))));
      const other = await opened.reopen();
      const target = `${store.location}.copy`;
      const writing = other.transcripts.commit([chunk([entry('w', 'while')], { key: 'w' })], rules);
      await Promise.all([store.admin.backup(target), writing]);
      await expect(store.admin.backup(target)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect((await store.entries.counts()).entries).toBe(51);
      const copy = await opened.reopen(target);
      expect(await copy.admin.integrity()).toEqual([]);
      expect([50, 51]).toContain((await copy.entries.counts()).entries);
      expect((await copy.search.keywords(parseKeywords('text'), { limit: 99 })).length).toBe(50);
    });
  });
}
