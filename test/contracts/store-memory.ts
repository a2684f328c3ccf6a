// What every engine must do for the librarian: rows, pages with versions, and the index of memories.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExtractionRow, NewMemory, Statement } from '../../src/store/memory/port.ts';
import type { Edit } from '../../src/store/pages/port.ts';
import type { Store } from '../../src/store/store.ts';
import { holding } from '../derived.ts';
import type { OpenStore } from './store.ts';

const row = (session: string, firstAt: number, more: Partial<ExtractionRow> = {}): ExtractionRow => ({
  ...{
    agent: 'pi',
    file: `${session}.jsonl`,
    firstPos: 0,
    firstAt,
    lastAt: firstAt + 10,
    session,
    project: 'p',
    group: '',
    by: 'offline',
  },
  json: '{}',
  ...more,
});
export const statement = (page: string, target: string, at: number, more: Partial<Statement> = {}): Statement => ({
  ...{ page, target, kind: 'keyed', at, order: 0, title: 't', key: target, text: `text ${at}`, why: '', project: '' },
  ...{ file: 's.jsonl', pos: 0, session: 's', source: 'conversation', saidBy: 'person', tags: ['x'], from: '' },
  ...more,
});
export const memory = (id: string, text: string, more: Partial<NewMemory> = {}): NewMemory => ({
  ...{ id, page: 'a.md', target: id, title: 'Title', text, kind: 'evergreen', at: 5, project: 'Courier', session: '' },
  ...{ source: 'person', saidBy: 'person', group: '' },
  ...more,
});
const edit = (target: string, at: number): Edit => ({
  ...{ target, kind: 'change', text: 'mine', tight: true, front: false, anchor: 'x', section: 'y', before: 'b', at },
});
const done = () => ({ stamp: 'stamp', derived: true });

export function describeMemoryStore(name: string, open: () => Promise<OpenStore>): void {
  describe(`${name} implements store.memory and store.pages`, () => {
    let opened: OpenStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());
    const pageNames = async () => (await store.pages.list()).map(({ page, due }) => `${page}${due ? ' due' : ''}`);

    it('an extraction replaces the earlier one of the same conversation; pages that lose or gain are due', async () => {
      const first = row('s1', 100);
      expect(await store.memory.saveExtractions([{ row: first, statements: [statement('a.md', 'k', 110)] }])).toEqual([
        'a.md',
      ]);
      const second = row('s1', 100, { by: 'model', json: '{"x":1}' });
      expect(
        await store.memory.saveExtractions([{ row: second, statements: [statement('b.md', 'k', 110)] }], 'rules'),
      ).toEqual(['a.md', 'b.md']);
      await store.memory.saveExtractions([{ row: row('s0', 50), statements: [] }]);
      const other = await opened.reopen();
      expect(await other.memory.extraction('pi', 's1.jsonl', 0)).toEqual(second);
      expect((await other.memory.extractions()).map(({ session }) => session)).toEqual(['s0', 's1']);
      expect(await other.memory.extractions({ agent: 'claude-code', session: 's1' })).toEqual([]);
      expect((await other.pages.get('b.md')).statements).toEqual([statement('b.md', 'k', 110)]);
      expect((await other.pages.get('a.md')).statements).toEqual([]);
      expect(await other.memory.placingRules()).toBe('rules');
      expect(await store.memory.dropExtractions([second, second])).toEqual(['b.md']);
      expect(await pageNames()).toEqual(['a.md due', 'b.md due']);
    });

    it('conversations of one transcript that begin at the same moment are distinguished by their position', async () => {
      const rows = [30, 4, 17].map((firstPos) => row('s1', 100, { firstPos, json: `"${firstPos}"` }));
      for (const each of rows)
        await store.memory.saveExtractions([{ row: each, statements: [statement('a.md', `k${each.firstPos}`, 110)] }]);
      const other = await opened.reopen();
      expect((await other.memory.extractions()).map(({ firstPos, json }) => [firstPos, json])).toEqual([
        [4, '"4"'],
        [17, '"17"'],
        [30, '"30"'],
      ]);
      expect((await other.memory.extraction('pi', 's1.jsonl', 17))?.json).toBe('"17"');
      expect(await store.memory.dropExtractions([row('s1', 100, { firstPos: 17 })])).toEqual(['a.md']);
      expect((await store.pages.get('a.md')).statements.map(({ target }) => target)).toEqual(['k30', 'k4']);
    });

    it('only a caller that saw the last version of a page can settle it; a late one changes nothing', async () => {
      await store.memory.saveStatement(statement('a.md', 'k', 1, { source: 'remembered' }));
      const { version } = await store.pages.get('a.md');
      const written = { text: 'before', targets: ['k'] };
      const next = await store.pages.prepare('a.md', version, {
        edits: [edit('k', 3)],
        written,
        intended: { text: 'after', targets: ['k'] },
      });
      expect(next).toBe(version + 1);
      expect(await store.pages.prepare('a.md', version, { edits: [edit('k', 4)] })).toBeUndefined();
      expect(await store.pages.get('a.md')).toMatchObject({
        ...{ version: next, written, intended: { text: 'after', targets: ['k'] }, edits: [edit('k', 3)] },
      });
      let ran = 0;
      const put = () => {
        ran++;
        return done();
      };
      expect(await store.pages.settle('a.md', version, put, [memory('m1', 'otter')])).toBe(false);
      expect(await store.pages.settle('a.md', version + 1, () => undefined, [memory('m1', 'otter')])).toBe(false);
      await expect(
        store.pages.settle(
          'a.md',
          version + 1,
          () => {
            throw new Error('no space');
          },
          [],
        ),
      ).rejects.toThrow('no space');
      expect([ran, await store.memory.list({}), await pageNames()]).toEqual([0, [], ['a.md due']]);
      expect(await store.pages.settle('a.md', version + 1, put, [memory('m1', 'otter')])).toBe(true);
      const { intended, written: now } = await store.pages.get('a.md');
      expect([ran, intended, now?.text, await pageNames()]).toEqual([1, undefined, 'after', ['a.md']]);
      expect(await store.pages.takeUncommitted()).toEqual(['a.md']);
      expect(await store.pages.takeUncommitted()).toEqual([]);
    });

    it('finds memories by words, newest texts only, with their filters; unchanged ones keep their row', async () => {
      const settle = async (memories: readonly NewMemory[]) =>
        store.pages.settle('a.md', (await store.pages.get('a.md')).version, done, memories);
      const find = async (query: string, filter = {}) =>
        (await holding(store, 'memory', query, filter)).map(({ id, row: at }) => [id, at]);
      await settle([
        memory('m1', 'an otter swims'),
        memory('m2', 'an otter sleeps', { kind: 'dated', at: 50, project: '' }),
      ]);
      const [[, rowOfFirst] = []] = await find('swimming');
      expect((await find('otters')).map(([id]) => id).sort()).toEqual(['m1', 'm2']);
      expect((await store.memory.list({ kind: 'dated' })).map(({ id }) => id)).toEqual(['m2']);
      expect((await find('otter', { project: { name: 'courier' } })).map(([id]) => id)).toEqual(['m1']);
      expect((await find('otter', { since: 10, until: 51 })).map(([id]) => id)).toEqual(['m2']);
      await settle([
        memory('m0', 'new first'),
        memory('m1', 'an otter swims'),
        memory('m2', 'a beaver sleeps', { kind: 'dated' }),
      ]);
      expect(await find('otter')).toEqual([['m1', rowOfFirst]]);
      expect((await store.memory.list({ page: 'a.md' })).map(({ id }) => id)).toEqual(['m0', 'm1', 'm2']);
      expect((await store.memory.find('m')).length).toBe(3);
      expect((await store.memory.find('m1')).map(({ target, at }) => [target, at])).toEqual([
        ['m1', '1970-01-01T00:00:00.005Z'],
      ]);
      await settle([]);
      expect([await find('otter beaver'), await store.memory.list({})]).toEqual([[], []]);
    });

    it('knows what conversations said later than a person about the same subject', async () => {
      const said = (page: string, target: string, at: number) => statement(page, target, at);
      await store.memory.saveExtractions([
        {
          row: row('s1', 100),
          statements: [said('a.md', 'k:a', 10), said('a.md', 'k:b', 10), said('a.md', 'k:c', 10)],
        },
        {
          row: row('s2', 200),
          statements: [said('a.md', 'k:a', 30), said('a.md', 'k:b', 30), said('b.md', 'k:a', 30)],
        },
      ]);
      await store.memory.saveStatement(statement('a.md', 'k:a', 20, { source: 'remembered' }));
      await store.pages.addEdit('a.md', edit('k:b', 20));
      await store.pages.addEdit('a.md', edit('k:c', 20));
      expect((await store.pages.contested()).map(({ target, at }) => [target, at])).toEqual([
        ['k:a', 30],
        ['k:b', 30],
      ]);
    });

    it('forgets a target with all that was said and written about it; what followed it keeps its place', async () => {
      await store.memory.saveExtractions([
        { row: row('s1', 100, { json: '"old"' }), statements: [statement('a.md', 'k', 10)] },
      ]);
      await store.memory.saveStatement(statement('a.md', 'k', 20, { source: 'promoted', from: 'm00000000000a x.md' }));
      const own = (target: string, anchor: string): Edit => ({ ...edit(target, 5), kind: 'add', anchor });
      for (const each of [own('own:0', 'k'), own('own:1', 'own:0'), edit('k/0', 6), edit('k', 7)])
        await store.pages.addEdit('a.md', each);
      expect(await store.memory.promotedFrom('m00000000000a')).toHaveLength(1);
      await store.pages.forgetTarget('a.md', 'own:0', ['p1'], []);
      await store.pages.forgetTarget(
        'a.md',
        'k',
        ['p1', 'p2'],
        [{ row: row('s1', 100, { json: '"new"' }), statements: [] }],
      );
      const { statements, edits } = await store.pages.get('a.md');
      expect([statements, edits.map(({ target, kind, anchor, text }) => [target, kind, anchor, text])]).toEqual([
        [],
        [
          ['own:0', 'remove', 'k', ''],
          ['own:1', 'add', 'own:0', edit('own:1', 5).text],
        ],
      ]);
      expect((await store.memory.extraction('pi', 's1.jsonl', 0))?.json).toBe('"new"');
      expect([...(await store.pages.forgotten())].sort()).toEqual(['p1', 'p2']);
      await store.admin.scrub();
    });

    it('is redacted with the texts that it came from: rows and index at once, and its pages are due', async () => {
      const secret = 'old-secret';
      const choice = { question: `which ${secret}?`, answer: secret };
      await store.memory.saveExtractions(
        [
          {
            row: row('s1', 100, { json: JSON.stringify({ x: `a ${secret}` }) }),
            statements: [
              statement('a.md', 'k', 10, {
                ...{ title: secret, key: secret, text: secret, choice, why: secret },
                ends: { by: 'amendment', of: secret },
              }),
            ],
          },
          { row: row('s2', 100), statements: [statement('b.md', 'k', 10)] },
        ],
        'rules',
      );
      await store.memory.saveStatement(statement('c.md', 'k', 20, { source: 'remembered', text: `mine ${secret}` }));
      await store.pages.addEdit('d.md', { ...edit('k', 5), text: secret, before: secret, section: secret });
      for (const page of ['a.md', 'b.md', 'c.md', 'd.md', 'e.md']) {
        const { version } = await store.pages.get(page);
        const text = page === 'e.md' ? `said ${secret}` : page;
        await store.pages.settle(page, version, done, [
          memory(`m-${page}`, text, { page, title: text, ...(page === 'e.md' ? { choice } : {}) }),
        ]);
      }
      expect((await pageNames()).filter((name) => name.endsWith(' due'))).toEqual([]);
      const change = (text: string) => text.replaceAll(secret, '[removed]');
      for (let all = false; !all; )
        ({ outside: all } = await store.removal.rewriteTexts(1, { text: change, json: change }, 100));
      const pages = await Promise.all(['a.md', 'b.md', 'c.md', 'd.md'].map((page) => store.pages.get(page)));
      const left = [await store.memory.extractions(), pages, await store.memory.list({})];
      expect(JSON.stringify(left)).not.toContain(secret);
      expect(JSON.stringify(left).split('[removed]')).toHaveLength(1 + 16);
      expect(await holding(store, 'memory', `"${secret}"`)).toEqual([]);
      expect(await holding(store, 'memory', '"said removed"')).toHaveLength(1);
      expect(await pageNames()).toEqual(['a.md due', 'b.md', 'c.md due', 'd.md due', 'e.md due']);
      expect(await store.memory.placingRules()).toBeUndefined();
      expect(await store.admin.integrity()).toEqual([]);
    });

    it('merges targets, and splits them again', async () => {
      await store.pages.mergeTargets(
        'a.md',
        [
          { target: 'x', into: 'y' },
          { target: 'z', into: 'y' },
        ],
        1,
      );
      expect((await store.pages.get('a.md')).merged).toEqual(
        new Map([
          ['x', 'y'],
          ['z', 'y'],
        ]),
      );
      expect(await store.pages.unmergeTargets('a.md', 'y', 30)).toBe(2);
      expect((await store.pages.get('a.md')).merged.size).toBe(0);
    });
  });
}
