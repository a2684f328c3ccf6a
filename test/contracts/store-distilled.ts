// The part of the store's contract about turns, observations and summaries.
import { describe, expect, it } from 'vitest';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import { toMoment } from '../../src/schema/time.ts';
import type { NewObservation, NewSummary } from '../../src/store/distilled/port.ts';
import type { Store } from '../../src/store/store.ts';
import { holding } from '../derived.ts';
import { endJob, takeObservation, takeSummary } from '../distilled.ts';
import { base, chunk, committing, entry, rules } from './chunks.ts';

export const observation = (first: string, more: Partial<NewObservation> = {}): NewObservation => ({
  session: 's1',
  agent: 'claude-code',
  at: toMoment(base),
  prompt: 1,
  type: 'bugfix',
  title: 'Mend the tide table',
  subtitle: 'It was an hour late',
  facts: ['Modified src/tide.ts.'],
  narrative: 'The table was wrong in summer.',
  concepts: ['daylight saving'],
  filesRead: ['src/read.ts'],
  filesModified: ['src/tide.ts'],
  tools: ['Edit'],
  entries: [first],
  by: 'offline',
  tokens: 0,
  ...more,
});

export const summary = (more: Partial<NewSummary> = {}): NewSummary => ({
  session: 's1',
  agent: 'claude-code',
  at: toMoment(base),
  prompts: 1,
  title: 'The tide table',
  request: 'Why is it late?',
  investigated: '',
  learned: 'Moon and sun.',
  completed: 'Mended. Committed: “Mend the table”.',
  outcome: 'Mended.',
  nextSteps: '',
  notes: '',
  filesRead: [],
  filesModified: ['src/tide.ts'],
  commits: ['Mend the table'],
  by: 'offline',
  tokens: 0,
  ...more,
});

const said = (uuid: string, text: string, more = {}) =>
  entry(uuid, text, { role: 'assistant', author: 'model', ...more });

export function describeDistilled(open: () => { store: Store; reopen(): Promise<Store> }): void {
  const commit = committing(open);
  const uses = [{ id: 't', tool: 'Read', input: '{}', files: ['/w/tide/a.ts'] }];

  describe('store.entries: turns', () => {
    it('begin with a prompt of a person and end before the next', async () => {
      const { store } = open();
      await commit(
        chunk([
          entry('p1', 'first', { at: base + 1 }),
          said('a1', 'working', { tools: ['Read'], toolUses: uses }),
          entry('m1', 'a notification', { author: 'machine' }),
          entry('p2', 'second', { at: base + 2 }),
          said('a2', 'done'),
        ]),
      );
      expect(await store.entries.prompts('claude-code', 's1')).toEqual([
        { prompt: 1, entry: 'p1', at: base + 1 },
        { prompt: 2, entry: 'p2', at: base + 2 },
      ]);
      const found = await store.entries.turns('claude-code', 's1');
      expect(found).toMatchObject({
        project: 'tide',
        projectPath: '/w/tide',
        cwd: '/w/tide/src',
        title: 'first',
        prompts: 2,
      });
      const turns = found?.turns ?? [];
      expect(turns.map(({ before }) => before)).toEqual([[], ['first']]);
      expect(turns.map(({ prompt, entries }) => [prompt, entries.map(({ id }) => id)])).toEqual([
        [1, ['p1', 'a1', 'm1']],
        [2, ['p2', 'a2']],
      ]);
      expect(turns[0]?.toolUses).toMatchObject([{ id: 't', entry: 'a1', tool: 'Read' }]);
      expect((await store.entries.turns('claude-code', 's1', 2))?.turns).toEqual([turns[1]]);
      expect((await store.entries.turns('claude-code', 's1', 3))?.turns).toEqual([]);
      expect((await store.entries.turns('claude-code', 's1', 0))?.turns).toEqual([]);
      expect(await store.entries.turns('pi', 's1')).toBeUndefined();
    });

    it('entries before the first prompt have number 0', async () => {
      const { store } = open();
      await commit(chunk([said('a0', 'going on'), entry('p1', 'now this')]));
      expect((await store.entries.turns('claude-code', 's1'))?.turns.map(({ prompt }) => prompt)).toEqual([0, 1]);
      await commit(chunk([said('b0', 'alone', { session: 's2' })], { key: 'p/s2.jsonl' }));
      const alone = (await store.entries.turns('claude-code', 's2', 0))?.turns[0];
      expect(alone?.entries.map(({ id }) => id)).toEqual(['b0']);
    });

    it('leave out subagents, abandoned branches and what a fork copied', async () => {
      const { store } = open();
      await commit(
        chunk([
          entry('p1', 'first'),
          said('a1', 'answer'),
          entry('p2', 'a branch that was left'),
          said('a2', 'to no end'),
          entry('p3', 'again', { joinsAt: 10 }),
        ]),
        chunk([entry('q', 'task', { author: 'machine' }), said('r', 'result')], { key: 'sub', subagent: 'n' }),
        chunk([entry('p1', 'first', { session: 's2' }), entry('p9', 'own', { session: 's2' })], {
          key: 'p/s2.jsonl',
          bornAt: base + 9,
        }),
      );
      const ids = async (session: string) =>
        (await store.entries.turns('claude-code', session))?.turns.map(({ prompt, entries }) => [
          prompt,
          ...entries.map(({ id }) => id),
        ]);
      expect(await ids('s1')).toEqual([
        [1, 'p1', 'a1'],
        [2, 'p3'],
      ]);
      expect(await ids('s2')).toEqual([[1, 'p9']]);
    });

    it('lose their middle when they are very long', async () => {
      const { store } = open();
      const many = Array.from({ length: 1500 }, (_, i) =>
        said(`a${i}`, i === 1 ? `x${'y'.repeat(50_000)}z` : `step ${i}`),
      );
      await commit(chunk([entry('p1', 'go'), ...many]));
      const turn = (await store.entries.turns('claude-code', 's1', 1))?.turns[0];
      expect(turn?.entries.length).toBe(1200);
      expect([turn?.entries[0]?.id, turn?.entries.at(-1)?.id]).toEqual(['p1', 'a1499']);
      expect(turn?.entries[2]?.text.length).toBeLessThan(17_000);
      expect(turn?.entries[2]?.text).toMatch(/^xy+\n…\ny+z$/);
    });
  });

  describe('store.distilled: observations and summaries', () => {
    const two = () =>
      commit(
        chunk([entry('p1', 'first'), said('a1', 'answer'), entry('p2', 'second'), said('a2', 'done')]),
        chunk([entry('q1', 'elsewhere', { session: 'z' })], {
          key: 'z',
          agent: 'pi',
          sessions: [{ session: 'z', cwd: '/w/moor', projectPath: '/w/moor', title: undefined }],
        }),
      );

    it('come back as saved, under ids that stay the same', async () => {
      const { store, reopen } = open();
      await two();
      const saved = await takeObservation(store, observation('p1', { entries: ['p1', 'a1'] }));
      expect(saved).toMatchObject({ ...observation('p1', { entries: ['p1', 'a1'] }), project: 'tide' });
      const account = await takeSummary(store, summary());
      expect(account).toMatchObject({ ...summary(), project: 'tide' });
      const other = await reopen();
      expect(await other.distilled.observations({})).toEqual([saved]);
      expect(await other.distilled.summaries({})).toEqual([account]);
      expect(await other.distilled.findObservations(saved?.id.slice(0, 6) ?? '')).toEqual([saved]);
      expect(await other.distilled.findSummaries(account?.id ?? '')).toEqual([account]);
      for (const given of [
        { kind: 'observe', observation: undefined },
        { kind: 'summarize', summary: undefined },
      ] as const)
        await endJob(store, observation('p1'), given);
      expect([await store.distilled.observations({}), await store.distilled.summaries({})]).toEqual([[], []]);
      expect((await takeObservation(store, observation('p1')))?.id).toBe(saved?.id);
      expect((await takeSummary(store, summary()))?.id).toBe(account?.id);
    });

    it('are replaced by later ones, also in the index', async () => {
      const { store } = open();
      await two();
      await takeObservation(store, observation('p1'));
      await takeSummary(store, summary());
      const other = observation('p1', { title: 'Another title', narrative: 'New words.' });
      await endJob(store, other, { kind: 'observe', observation: other });
      const account = summary({ title: 'Another account', learned: '' });
      await endJob(store, account, { kind: 'summarize', summary: account });
      expect((await store.distilled.observations({})).map(({ title }) => title)).toEqual(['Another title']);
      expect((await store.distilled.summaries({})).map(({ title }) => title)).toEqual(['Another account']);
      const found = async (words: string) => [
        (await holding(store, 'observation', words)).length,
        (await holding(store, 'summary', words)).length,
      ];
      expect(await found('summer moon')).toEqual([0, 0]);
      expect(await found('another')).toEqual([1, 1]);
      expect(await store.admin.integrity()).toEqual([]);
    });

    it('a summary keeps one row for each end of a turn that was summarised; the last one alone is listed and found', async () => {
      const { store } = open();
      await two();
      const key = { agent: 'claude-code', session: 's1' } as const;
      const ended = async (prompts: number, title: string) => {
        const account = summary({ prompts, title });
        await endJob(store, account, { kind: 'summarize', summary: account });
      };
      const past = async () => (await store.distilled.pastSummaries(key)).map(({ prompts, title }) => [prompts, title]);
      await ended(1, 'After one');
      await ended(1, 'After one, told otherwise');
      expect(await past()).toEqual([]);
      await ended(2, 'After two');
      expect(await past()).toEqual([[1, 'After one, told otherwise']]);
      expect((await store.distilled.summaries({})).map(({ title }) => title)).toEqual(['After two']);
      expect(await holding(store, 'summary', 'told otherwise')).toEqual([]);
      expect((await store.distilled.pastSummaries(key))[0]).toMatchObject({
        ...summary({ title: 'After one, told otherwise' }),
        project: 'tide',
      });
      const hide = (text: string) => text.replaceAll('otherwise', '[removed]');
      for (let all = false; !all; )
        ({ outside: all } = await store.removal.rewriteTexts(1, { text: hide, json: hide }, 100));
      expect(await past()).toEqual([[1, 'After one, told [removed]']]);
      await ended(1, 'One turn was cut off');
      expect(await past(), 'what covered more prompts than there are is gone').toEqual([]);
      await ended(2, 'After two again');
      await endJob(store, key, { kind: 'summarize', summary: undefined });
      expect(await past()).toEqual([]);
      await ended(2, 'A last one');
      expect(await past(), 'forgotten accounts do not come back').toEqual([]);
      expect(await store.admin.integrity()).toEqual([]);
    });

    it('are refused without a trace when their subject is gone', async () => {
      const { store } = open();
      await two();
      expect(await takeObservation(store, observation('nowhere'))).toBeUndefined();
      expect(await takeObservation(store, observation('q1'))).toBeUndefined();
      expect(await takeObservation(store, observation('p1', { session: 'none' }))).toBeUndefined();
      expect(await takeSummary(store, summary({ session: 'none' }))).toBeUndefined();
      expect([await store.distilled.observations({}), await store.distilled.summaries({})]).toEqual([[], []]);
      expect(await takeObservation(store, observation('p1', { entries: ['p1', 'vanished', 'a1'] }))).toMatchObject({
        entries: ['p1', 'a1'],
      });
    });

    it('are filtered by project, agent, session, type, file and time, newest first', async () => {
      const { store } = open();
      await two();
      const later = toMoment(base + 1000);
      await takeObservation(store, observation('p1'));
      await takeObservation(
        store,
        observation('p2', { prompt: 2, type: 'feature', at: later, filesModified: [], filesRead: ['lib/tide.ts'] }),
      );
      await takeObservation(
        store,
        observation('q1', { agent: 'pi', session: 'z', at: toMoment(base - 5), filesModified: ['moor.ts'] }),
      );
      const ids = async (filter: Parameters<Store['distilled']['observations']>[0]) =>
        (await store.distilled.observations(filter)).map(({ session, prompt }) => `${session}.${prompt}`);
      expect(await ids({})).toEqual(['s1.2', 's1.1', 'z.1']);
      expect(await ids({ limit: 1 })).toEqual(['s1.2']);
      expect(await ids({ project: { name: 'moor' } })).toEqual(['z.1']);
      expect(await ids({ agent: 'claude-code' })).toEqual(['s1.2', 's1.1']);
      expect(await ids({ session: 'z' })).toEqual(['z.1']);
      expect(await ids({ type: 'feature' })).toEqual(['s1.2']);
      expect(await ids({ file: 'tide.ts' })).toEqual(['s1.2', 's1.1']);
      expect(await ids({ file: './src/tide.ts' })).toEqual(['s1.1']);
      expect(await ids({ file: 'ide.ts' })).toEqual([]);
      expect(await ids({ since: base })).toEqual(['s1.2', 's1.1']);
      expect(await ids({ until: base + 1000 })).toEqual(['s1.1', 'z.1']);
      const hits = await holding(store, 'observation', 'summer tables', { project: { name: 'tide' } });
      expect(hits.map(({ session }) => session)).toEqual(['s1', 's1']);
      expect(await ids({ file: '/w/tide/src/tide.ts' })).toEqual(['s1.1']);
      const derived = async (words: string, filter = {}) =>
        (await store.distilled.search('observation', parseKeywords(words), filter)).map(({ row, score }) => ({
          row,
          score,
        }));
      const passing = await derived('saving', { project: { name: 'tide' } });
      expect(passing).toHaveLength(2);
      expect((await derived('nowhere')).map(({ score }) => score)).toEqual([undefined, undefined, undefined]);
      expect(passing.every(({ score }) => (score ?? 0) > 0)).toBe(true);
      const rows = passing.map(({ row }) => row).reverse();
      const read = await store.distilled.at('observation', [...rows, 999]);
      expect(read.map(({ row }) => row)).toEqual(rows);
      expect(read[0]).toMatchObject({ session: 's1', agent: 'claude-code', project: 'tide' });
      expect(await holding(store, 'observation', '"; DROP')).toEqual([]);
      expect(await holding(store, 'observation', '')).toEqual([]);
    });

    it('are deleted with their session', async () => {
      const { store } = open();
      await two();
      await takeObservation(store, observation('p1'));
      await takeSummary(store, summary());
      await takeSummary(store, summary({ agent: 'pi', session: 'z' }));
      await store.removal.deleteSessions([{ agent: 'claude-code', session: 's1' }], rules);
      expect(await store.distilled.observations({})).toEqual([]);
      expect((await store.distilled.summaries({})).map(({ session }) => session)).toEqual(['z']);
      expect(await store.admin.integrity()).toEqual([]);
    });

    it('stay when a transcript is read again, unless their prompt is no longer in it', async () => {
      const { store } = open();
      await two();
      await takeObservation(store, observation('p1', { entries: ['p1', 'a1'] }));
      await takeObservation(store, observation('p2', { prompt: 2 }));
      await commit(chunk([entry('p1', 'first'), entry('p3', 'third')], { restart: true, prune: true }));
      expect((await store.distilled.observations({})).map(({ prompt, entries }) => [prompt, entries])).toEqual([
        [1, ['p1']],
      ]);
      await takeObservation(store, observation('p3', { prompt: 2 }));
      expect((await store.distilled.observations({})).length).toBe(2);
      expect(await store.admin.integrity()).toEqual([]);
    });

    it('follow a turn that changes its owner: it is reported once', async () => {
      const { store } = open();
      await commit(
        chunk([entry('p1', 'first', { session: 's2' }), entry('p2', 'own', { session: 's2' })], {
          key: 'p/s2.jsonl',
          bornAt: base + 9,
        }),
      );
      await takeObservation(store, observation('p1', { session: 's2' }));
      // The file that was born first comes later and becomes the owner of the entry.
      await commit(chunk([entry('p1', 'first')], { bornAt: base }));
      expect(await takeObservation(store, observation('p1', { session: 's2' }))).toBeUndefined();
      await takeObservation(store, observation('p1'));
      expect((await store.distilled.observations({})).map(({ session }) => session)).toEqual(['s1']);
    });

    it('are redacted with the texts that they came from', async () => {
      const { store } = open();
      await two();
      await takeObservation(
        store,
        observation('p1', { facts: ['token old-secret was used'], title: 'Use old-secret' }),
      );
      await takeSummary(store, summary({ notes: 'old-secret leaked' }));
      const hide = (text: string) => text.replaceAll('old-secret', '[removed]');
      for (let all = false; !all; )
        ({ outside: all } = await store.removal.rewriteTexts(1, { text: hide, json: hide }, 100));
      expect(
        JSON.stringify([await store.distilled.observations({}), await store.distilled.summaries({})]),
      ).not.toContain('old-secret');
      expect(await holding(store, 'observation', '"old secret"')).toEqual([]);
      expect(await store.admin.integrity()).toEqual([]);
    });
  });
}
