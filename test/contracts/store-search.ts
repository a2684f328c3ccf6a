// The contract of `store.search`: what every engine must do.
import { beforeEach, describe, expect, it } from 'vitest';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import type { KeywordFilter } from '../../src/store/search/port.ts';
import type { Store } from '../../src/store/store.ts';
import { base, chunk, committing, entry, finding, rules, scatter } from './chunks.ts';
import type { OpenStore } from './store.ts';

const hour = 3_600_000;

export function describeSearch(open: () => OpenStore): void {
  describe('store.search', () => {
    let store: Store;
    beforeEach(() => {
      store = open().store;
    });
    const commit = committing(open);
    const find = finding(open);
    const rank = async (query: string, filter: Partial<KeywordFilter> = {}) => {
      const { rows, scores } = await open().store.search.rankKeywords(parseKeywords(query), { limit: 20, ...filter });
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      return (await open().store.entries.at(rows)).map(({ entry }) => entry.id);
    };

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
  });
}
