// The contract of `store.sessions`: what every engine must do.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { base, chunk, committing, entry } from './chunks.ts';
import type { OpenStore } from './store.ts';

const hour = 3_600_000;

export function describeSessions(open: () => OpenStore): void {
  describe('store.sessions', () => {
    let store: Store;
    beforeEach(() => {
      store = open().store;
    });
    const commit = committing(open);

    it('finds sessions and entries by id or prefix; a full id means exactly that one', async () => {
      await commit(chunk([entry('abc', 'x'), entry('abcd', 'y'), entry('ab%_', 'z', { session: 's10' })]));
      const ids = async (id: string) => (await store.entries.find(id)).map((each) => each.id).sort();
      expect(await ids('abc')).toEqual(['abc']);
      expect(await ids('ab')).toEqual(['ab%_', 'abc', 'abcd']);
      expect(await ids('%')).toEqual([]);
      expect((await store.sessions.find('s1')).map((each) => each.id)).toEqual(['s1']);
      expect((await store.sessions.find('s')).map((each) => each.id).sort()).toEqual(['s1', 's10']);
    });

    it('filters sessions by project, agent and time, newest first', async () => {
      const place = (session: string, path: string | undefined) => [
        { session, cwd: path, projectPath: path, title: `t ${session}` },
      ];
      await commit(
        chunk([entry('a', 'x', { session: 'old', at: base - 50 * hour })], {
          key: 'a',
          sessions: place('old', '/w/tide'),
        }),
        chunk([entry('b', 'x', { session: 'inner' })], { key: 'b', sessions: place('inner', '/w/tide/sub') }),
        chunk([entry('c', 'x', { session: 'twin', at: base + hour })], {
          key: 'c',
          agent: 'pi',
          sessions: place('twin', '/x/Tide'),
        }),
        chunk([entry('d', 'x', { session: 'homeless', at: base - hour })], {
          key: 'd',
          sessions: place('homeless', undefined),
        }),
      );
      const ids = async (filter: Parameters<Store['sessions']['list']>[0]) =>
        (await store.sessions.list(filter)).map((each) => each.id);
      expect(await ids({})).toEqual(['twin', 'inner', 'homeless', 'old']);
      expect(await ids({ limit: 2 })).toEqual(['twin', 'inner']);
      expect(await ids({ project: { name: 'tide' } })).toEqual(['twin', 'old']);
      expect(await ids({ project: { path: '/w/tide/sub/deep/er' } })).toEqual(['inner']);
      expect(await ids({ project: { path: '/w/tide' } })).toEqual(['old']);
      expect(await ids({ project: { path: '/w' } })).toEqual(['inner', 'old']);
      expect(await ids({ project: { path: '/w/tid' } })).toEqual([]);
      expect(await ids({ project: { name: "'; DROP TABLE sessions; --" } })).toEqual([]);
      expect(await ids({ agent: 'pi' })).toEqual(['twin']);
      expect(await ids({ since: base })).toEqual(['twin', 'inner']);
      expect(await ids({ until: base })).toEqual(['homeless', 'old']);
    });
  });
}
