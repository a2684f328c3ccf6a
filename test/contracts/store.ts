// What every engine behind the Store interface must do. An engine passes it with a few lines: see sqlite.test.ts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import type { KeywordFilter } from '../../src/store/search/port.ts';
import type { Store } from '../../src/store/store.ts';
import type { Chunk } from '../../src/store/transcripts/port.ts';
import { base, chunk, entry, rules, scatter } from './chunks.ts';
import { describeChanges } from './store-changes.ts';
import { describeDistilled } from './store-distilled.ts';
import { describeGroups } from './store-groups.ts';
import { describeHost } from './store-host.ts';
import { describeTouches } from './store-touches.ts';
import { describeUses } from './store-uses.ts';
import { describeVectors } from './store-vectors.ts';

export interface OpenStore {
  readonly store: Store;
  /** Another connection to the same data, or to a backup of it. */
  reopen(backup?: string): Promise<Store>;
  close(): Promise<void>;
}

const hour = 3_600_000;

export function describeStore(name: string, open: () => Promise<OpenStore>): void {
  describe(`${name} fulfils the store's contract`, () => {
    let opened: OpenStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());
    const commit = (...chunks: Chunk[]) => store.transcripts.commit(chunks, rules);
    const find = async (query: string, filter: Partial<KeywordFilter> = {}) =>
      (await store.search.keywords(parseKeywords(query), { limit: 20, ...filter })).map((hit) => hit.entry.id).sort();
    const rank = async (query: string, filter: Partial<KeywordFilter> = {}) => {
      const { rows, scores } = await store.search.rankKeywords(parseKeywords(query), { limit: 20, ...filter });
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      return (await store.entries.at(rows)).map(({ entry }) => entry.id);
    };

    describeChanges(() => opened);
    describeDistilled(() => opened);
    describeGroups(() => opened);
    describeHost(() => opened);
    describeTouches(() => opened);
    describeUses(() => opened);
    describeVectors(() => opened);

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

    it('returns what was committed, also through another connection', async () => {
      const text = 'Grüße 海の底 🐙 "quoted"\nline \u0000 two';
      await commit(
        chunk([entry('a', text), entry('b', 'answer', { role: 'assistant', author: 'model', tools: ['Read'] })], {
          state: { version: 1, agent: { ordinal: 3, name: 'x', flag: true }, capture: { title: 'A title' } },
          malformed: 2,
        }),
      );
      const other = await opened.reopen();
      for (const each of [store, other]) {
        const [first, second] = await each.entries.transcript('claude-code', 's1');
        expect(first).toEqual({
          id: 'a',
          session: 's1',
          agent: 'claude-code',
          role: 'user',
          author: 'person',
          at: '2026-05-01T12:00:00.000Z',
          text,
          tools: [],
          abandoned: false,
        });
        expect(second).toMatchObject({ id: 'b', tools: ['Read'] });
        expect(await each.transcripts.state('claude-code', 'p/s1.jsonl')).toMatchObject({
          offset: 20,
          malformed: 2,
          state: { version: 1, agent: { ordinal: 3, name: 'x', flag: true }, capture: { title: 'A title' } },
          status: 'ok',
          copies: new Map([['/root', 20]]),
        });
      }
      expect(await store.projects.list()).toMatchObject([{ name: 'tide', path: '/w/tide', sessions: 1, entries: 2 }]);
    });

    it('skips a stale chunk and says so; it takes the other chunks of the commit', async () => {
      await commit(chunk([entry('a', 'x')]));
      const late = chunk([entry('a', 'x')]);
      const other = chunk([entry('c', 'y', { session: 's2' })], { key: 'p/s2.jsonl' });
      const ahead = chunk([entry('z', 'z')], { from: 90 });
      expect(await commit(late, other, ahead)).toEqual([
        { stale: true, added: 0 },
        { stale: false, added: 1 },
        { stale: true, added: 0 },
      ]);
      expect(await store.entries.counts()).toMatchObject({ files: 2, entries: 2 });
    });

    it('takes all chunks of a commit or none', async () => {
      const broken = chunk([entry('b', null as unknown as string)], { key: 'q' });
      await expect(commit(chunk([entry('a', 'x')]), broken)).rejects.toThrow();
      expect(await store.entries.counts()).toMatchObject({ files: 0, entries: 0, sessions: 0, projects: 0 });
    });

    it('rereads from the start: missing entries are deleted, the others keep their place', async () => {
      await commit(chunk([entry('a', 'stays'), entry('b', 'goes')]));
      await commit(chunk([entry('c', 'came'), entry('a', 'stays, changed')], { restart: true, prune: true }));
      expect((await store.entries.transcript('claude-code', 's1')).map((each) => each.text)).toEqual([
        'came',
        'stays, changed',
      ]);
      expect(await find('goes')).toEqual([]);
      expect(await find('changed')).toEqual(['a']);
      expect(await store.admin.integrity()).toEqual([]);
    });

    it('records failures and copies without touching entries', async () => {
      await commit(chunk([entry('a', 'x')]));
      await store.transcripts.noteFailure('claude-code', 'p/s1.jsonl', '/root', 'denied');
      await store.transcripts.noteFailure('pi', 'never read', '/elsewhere', 'binary');
      await store.transcripts.noteCopies([{ agent: 'claude-code', key: 'p/s1.jsonl', root: '/backup', size: 7 }]);
      expect(await store.transcripts.state('claude-code', 'p/s1.jsonl')).toMatchObject({
        status: 'failed',
        error: 'denied',
        offset: 10,
        copies: new Map([
          ['/backup', 7],
          ['/root', 10],
        ]),
      });
      expect(await store.transcripts.state('pi', 'never read')).toMatchObject({ status: 'failed', offset: 0 });
      expect((await store.entries.transcript('claude-code', 's1')).length).toBe(1);
      await commit(chunk([entry('b', 'y')], { from: 10 }));
      expect(await store.transcripts.state('claude-code', 'p/s1.jsonl')).toMatchObject({
        status: 'ok',
        error: undefined,
      });
    });

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

    describe('keyword search', () => {
      beforeEach(() =>
        commit(
          chunk([
            entry('run', 'The runner was running tests in src/auth.ts'),
            entry('db', 'Connect to the database; connection refused', { role: 'assistant', author: 'model' }),
            entry('cjk', '東京都の天気は晴れです'),
            entry('mark', 'naïve café 🐙 C++ a.b "exact words here" x'),
            entry('order', 'here words exact'),
          ]),
          chunk([entry('sub', 'a subagent speaks of the database', { at: base + hour })], {
            key: 'sub',
            subagent: 'n',
          }),
          chunk([entry('pi', 'database of another agent', { session: 'p1', at: base + 2 * hour })], {
            key: 'pi',
            agent: 'pi',
            sessions: [{ session: 'p1', cwd: '/gone/away/lib', projectPath: '/gone/away', title: undefined }],
          }),
        ),
      );

      it('stems, folds accents, and finds words inside paths and unspaced scripts', async () => {
        expect(await find('run')).toEqual(['run']);
        expect(await find('connecting databases')).toEqual(['db', 'pi']);
        expect(await find('naive CAFE')).toEqual(['mark']);
        expect(await find('auth')).toEqual(['run']);
        expect(await find('東京')).toEqual(['cjk']);
        expect(await find('天気')).toEqual(['cjk']);
      });

      it('requires every phrase, word for word', async () => {
        expect(await find('"exact words"')).toEqual(['mark']);
        expect(await find('"words exact"')).toEqual(['order']);
        expect(await find('"exact words" database')).toEqual(['mark']);
        expect(await find('"exact words" "database"')).toEqual([]);
      });

      it('filters by project, agent, role, time, and leaves subagents out unless asked', async () => {
        expect(await find('database')).toEqual(['db', 'pi']);
        expect(await find('database', { subagents: true })).toEqual(['db', 'pi', 'sub']);
        expect(await find('database', { agent: 'pi' })).toEqual(['pi']);
        expect(await find('database', { role: 'assistant' })).toEqual(['db']);
        expect(await find('database', { project: { name: 'tide' } })).toEqual(['db']);
        expect(await find('database', { project: { path: '/gone/away/lib/deep' } })).toEqual(['pi']);
        expect(await find('database', { project: { path: '/nowhere' } })).toEqual([]);
        expect(await find('database', { since: base + 1 })).toEqual(['pi']);
        expect(await find('database', { until: base + 1 })).toEqual(['db']);
        expect(await find('database', { subagents: true, agent: 'claude-code', since: base + 1 })).toEqual(['sub']);
        expect(await store.search.keywords(parseKeywords('database'), { limit: 1 })).toHaveLength(1);
        expect(await find('database', { limit: 0 })).toEqual([]);
      });

      it.each([
        ['quotes', '"""\'\'"'],
        ['an open quote', '"database'],
        ['a star', '* data* *'],
        ['operators', 'AND OR NOT NEAR(a b, 3) database'],
        ['minus, caret, colon, braces', '-database ^text text:database {a b}: (c) + ,'],
        ['NUL', 'data\0base \0'],
        ['lone surrogates', '\ud800 \udc00x database'],
        ['emoji', '🐙 👩‍👩‍👧‍👦'],
        ['blanks', ' \n\t '],
        ['combining marks', '\u0301\u0301'],
        ['100 KB of words', Array.from({ length: 12_000 }, (_, i) => `word${i}`).join(' ')],
        ['100 KB of one word', 'x'.repeat(100_000)],
        ['100 KB of quotes', '"'.repeat(100_000)],
        ['100 KB without spaces', '東京都'.repeat(12_000)],
        ['SQL', "'); DROP TABLE entries; --"],
      ])('takes any text as a query: %s', async (_, query) => {
        for (const filter of [{}, { role: 'user' as const, project: { name: query } }]) {
          await expect(store.search.keywords(parseKeywords(query), { limit: 5, ...filter })).resolves.toBeInstanceOf(
            Array,
          );
        }
        // And terms that no query parser would produce.
        const raw = {
          terms: [{ words: [query.slice(0, 300), ''], prefix: true }],
          phrases: [[], [query.slice(0, 300)]],
        };
        await expect(store.search.keywords(raw, { limit: 5 })).resolves.toBeInstanceOf(Array);
        await expect(store.search.rankKeywords(raw, { limit: 5 })).resolves.toBeTruthy();
        expect(await find('refused')).toEqual(['db']);
      });

      it('ranks what it finds, without the texts', async () => {
        for (const query of ['run', 'connecting databases', '東京', '"exact words" database', 'auth', 'nowhere'])
          expect((await rank(query)).sort(), query).toEqual(await find(query));
        for (const filter of [
          { subagents: true },
          { agent: 'pi' },
          { role: 'assistant' },
          { project: { path: '/gone/away/lib/deep' } },
          { project: { path: '/nowhere' } },
          { since: base + 1 },
          { until: base + 1 },
          { limit: 0 },
        ] as const)
          expect((await rank('database', filter)).sort(), JSON.stringify(filter)).toEqual(
            await find('database', filter),
          );
      });

      it('says how rare the terms are, and leaves out terms that nearly all entries of a project contain', async () => {
        const texts = Array.from({ length: 150 }, (_, i) => `gauge ${i % 2 ? 'melanie' : 'caroline'} says ${i}`);
        const entries = texts.map((text, i) => entry(`many${i}`, text, { session: 'many' }));
        const others = Array.from({ length: 600 }, (_, i) => entry(`other${i}`, `other ${i}`, { session: 'others' }));
        await store.transcripts.commit(
          [
            chunk(entries, {
              key: 'many.jsonl',
              sessions: [{ session: 'many', cwd: '/w/many', projectPath: '/w/many', title: undefined }],
            }),
            chunk(others, { key: 'others.jsonl' }),
          ],
          rules,
        );
        const scope = { project: { path: '/w/many' }, limit: 200 };
        const { rarity } = await store.search.rankKeywords(parseKeywords('melanie 77 unheard'), scope);
        expect(rarity[0]).toBeCloseTo(Math.log(151 / 76), 5);
        expect(rarity[2]).toBeGreaterThan(rarity[1] as number);
        expect(await rank('melanie 77', scope)).toEqual(['many77']);
        expect(await rank('melanie', scope)).toHaveLength(75);
      });

      it('ranks a common term beside a rare one as the sum of both, and leaves out the common one alone', async () => {
        const texts = Array.from({ length: 9000 }, (_, i) => {
          const words = [i % 150 === 0 ? 'quill' : '', i % 4 === 0 ? 'amber' : '', `number ${i}`];
          return words.filter((word) => word !== '').join(' ');
        });
        const entries = texts.map((text, i) => entry(`large${i}`, text, { session: 'large' }));
        await commit(chunk(entries, { key: 'large.jsonl' }));
        const scoresOf = async (query: string) => {
          const { rows, scores } = await store.search.rankKeywords(parseKeywords(query), { limit: 9000 });
          return new Map(rows.map((row, i) => [row, scores[i] as number]));
        };
        const [both, quill, amber] = [await scoresOf('quill amber'), await scoresOf('quill'), await scoresOf('amber')];
        expect([both.size, quill.size, amber.size]).toEqual([60, 60, 2250]);
        for (const [row, score] of both)
          expect(score).toBeCloseTo((quill.get(row) as number) + (amber.get(row) ?? 0), 5);
        const best = [...both.values()];
        expect(best).toEqual(best.toSorted((a, b) => b - a));
        expect(await rank('quill amber', { limit: 30 })).toEqual(
          (await rank('quill amber', { limit: 60 })).slice(0, 30),
        );
      });

      it('merges the index in steps, with searches and writes between them, and finds the same', async () => {
        await scatter(store);
        expect(await store.admin.isIndexScattered()).toBe(true);
        const found = async () => [await rank('w17 w99'), await find('w256'), await find('"w17 w34"')];
        const before = await found();
        expect(before.map(({ length }) => length)).toEqual([20, 20, 20]);
        for (let steps = 0; await store.admin.mergeIndex(); steps++) {
          expect(await found()).toEqual(before);
          if (steps === 1) await commit(chunk([entry('meanwhile', 'a gauge meanwhile')], { key: 'meanwhile.jsonl' }));
          expect(steps).toBeLessThan(1000);
        }
        expect(await store.admin.isIndexScattered()).toBe(false);
        expect(await store.admin.mergeIndex()).toBe(false);
        expect(await found()).toEqual(before);
        expect(await find('meanwhile')).toEqual(['meanwhile']);
        expect(await store.admin.integrity()).toEqual([]);
      });

      it('knows the conversation of a row', async () => {
        const { rows } = await store.search.rankKeywords(parseKeywords('refused'), { limit: 1 });
        const id = (await store.conversations.at(rows)).get(rows[0] as number);
        expect((await store.conversations.entries(id as number)).map((one) => one.id)).toContain('db');
        expect((await store.conversations.at([999_999])).size).toBe(0);
      });
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

    it('puts every text through a change, a few at a time, once for each version', async () => {
      const uses = [{ id: 't', tool: 'Bash', input: '{"command":"old"}', files: [] }];
      await commit(chunk([entry('a', 'old one'), entry('b', 'old two', { toolUses: uses }), entry('c', 'new')]));
      const change = {
        text: (text: string) => text.replace('old', 'fresh'),
        json: (text: string) => text.replace('old', 'new'),
      };
      const steps: boolean[] = [];
      for (let i = 0; i < 20 && !steps.at(-1); i++)
        steps.push((await store.removal.rewriteTexts(1, change, 2)).outside);
      expect(steps.length).toBeGreaterThan(2);
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
