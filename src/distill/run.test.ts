import { describe, expect, it } from 'vitest';
import { distillBench, gapMs, minute } from '../../test/distill-bench.ts';
import type { Distiller } from './distiller.ts';
import { ModelError, type ModelTrouble } from './models/model.ts';
import { offlineDistiller } from './offline-distiller.ts';
import { pauseAfter } from './run.ts';

const text = (prompt: number) => ({
  type: 'bugfix' as const,
  title: `Repaired part ${prompt}`,
  subtitle: '',
  facts: [],
  narrative: '',
  concepts: [],
});
const usage = { calls: 1, input: 900, output: 100 };

/** A model with fixed answers. Before each answer, `trouble` may return an error to throw. */
function scripted(trouble: (n: number, what: string) => ModelError | undefined = () => undefined, cost = 1000) {
  const asked: string[] = [];
  const answer = async <T>(what: string, value: T) => {
    const error = trouble(asked.push(what), what);
    if (error) throw error;
    return { value, usage };
  };
  const distiller: Distiller = {
    name: 'test/model',
    parallel: 1,
    turns: 6,
    mixed: false,
    readsPages: true,
    estimate: () => cost,
    observe: (turns) =>
      answer(
        `observe ${turns.map(({ prompt }) => prompt).join(',')}`,
        turns.map(({ prompt }) => text(prompt)),
      ),
    summarize: ({ session, observations }) =>
      answer(`summarize ${observations.length}`, {
        title: `All of ${session.session}`,
        request: '',
        investigated: '',
        learned: '',
        completed: '',
        outcome: '',
        nextSteps: '',
        notes: '',
      }),
    remember: () =>
      answer('remember', {
        episodes: [],
        projects: [],
        people: [],
        milestones: [],
        insights: [],
        facts: [],
        questions: [],
      }),
  };
  return { distiller, asked };
}
const trouble = (kind: ModelTrouble, retryAfterMs?: number) => new ModelError(kind, `it is ${kind}`, { retryAfterMs });

describe('a run', () => {
  it('does every job once: turns together, then the session from its observations, and the conversation', async () => {
    const { distiller, asked } = scripted();
    const bench = await distillBench(distiller);
    await bench.session('s1', 8);
    const report = await bench.run();
    expect(report).toMatchObject({
      done: { observe: 8, summarize: 1, remember: 1 },
      failedAttempts: 0,
      usage: { calls: 4, input: 3600, output: 400 },
    });
    expect(asked.filter((what) => what.startsWith('observe'))).toEqual(['observe 1,2,3,4,5,6', 'observe 7,8']);
    expect(asked).toContain('summarize 8');
    expect(bench.kept).toHaveLength(1);
    const observations = await bench.store.distilled.observations({});
    expect(observations.map(({ title, by }) => `${title} ${by}`).sort()[0]).toBe('Repaired part 1 test/model');
    expect(observations.find(({ prompt }) => prompt === 8)?.tokens).toBe(500);
    expect((await bench.store.distilled.summaries({}))[0]).toMatchObject({
      title: 'All of s1',
      tokens: 1000,
      prompts: 8,
    });
    expect((await bench.store.conversations.list({}))[0]?.status).toBe('archived');
    expect((await bench.run()).done).toEqual({ observe: 0, summarize: 0, remember: 0 });
    expect(asked).toHaveLength(4);
  });

  it('does the same jobs without a model, at no cost', async () => {
    const bench = await distillBench(offlineDistiller);
    await bench.session('s1', 3);
    expect(await bench.run()).toMatchObject({
      done: { observe: 3, summarize: 1, remember: 1 },
      usage: { calls: 0, input: 0, output: 0 },
    });
    expect(await bench.store.distilled.observations({})).toHaveLength(3);
    expect(await bench.store.jobs.spending(0, String)).toEqual([]);
  });

  it('leaves sessions that are still going on alone, unless it is asked for that session', async () => {
    const { distiller, asked } = scripted();
    const bench = await distillBench(distiller);
    await bench.session('s1', 2);
    await bench.session('s2', 2);
    bench.now = Date.parse((await bench.store.sessions.list({}))[0]?.endedAt ?? '') + minute;
    await bench.run();
    expect(asked.filter((what) => what === 'observe 1')).toHaveLength(2);
    await bench.run({}, { session: { agent: 'claude-code', session: 's2' }, early: true });
    expect((await bench.jobs()).filter((job) => job.endsWith('ready'))).toEqual([
      's1 observe 2 ready',
      expect.stringMatching(/^s1 remember \d+ ready$/),
      's1 summarize ready',
    ]);
  });

  it('does only jobs with material after `since`', async () => {
    const { distiller } = scripted();
    const bench = await distillBench(distiller);
    await bench.session('s1', 2);
    expect((await bench.run({}, { since: bench.now })).done.observe).toBe(0);
    expect((await bench.run({}, { since: 0 })).done.observe).toBe(2);
  });

  it('reports its progress', async () => {
    const { distiller } = scripted();
    const bench = await distillBench(distiller);
    await bench.session('s1', 2);
    const seen: string[] = [];
    await bench.run({ progress: ({ jobs, totalJobs, tokens }) => seen.push(`${jobs}/${totalJobs} ${tokens}`) });
    expect(seen).toEqual(['2/4 1000', '3/4 2000', '4/4 3000']);
  });

  it('stops when its signal aborts, and releases the jobs it has claimed', async () => {
    const stop = new AbortController();
    const { distiller } = scripted();
    const bench = await distillBench({
      ...distiller,
      async observe() {
        stop.abort();
        stop.signal.throwIfAborted();
        throw new Error('not reached');
      },
    });
    await bench.session('s1', 2);
    await expect(bench.run({ signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(await bench.store.jobs.list({ statuses: ['claimed', 'failed'] })).toEqual([]);
    expect((await bench.store.jobs.list({})).every(({ attempts }) => attempts === 0)).toBe(true);
  });
});

describe('a model in trouble', () => {
  it('that answers badly is asked for each turn alone; then the job fails with the reason, and the entries stay', async () => {
    const { distiller, asked } = scripted((_, what) => (/observe.*1/.test(what) ? trouble('invalid') : undefined));
    const bench = await distillBench(distiller);
    await bench.session('s1', 2);
    const attempts: string[][] = [];
    for (let i = 0; i < 4; i++) {
      asked.length = 0;
      await bench.run();
      attempts.push([...asked]);
      bench.now += gapMs;
    }
    expect(attempts[0]?.[0]).toBe('observe 1,2');
    expect(attempts[1]?.slice(0, 2)).toEqual(['observe 1', 'observe 2']);
    expect(attempts[2]).toEqual(['observe 1', 'remember', 'summarize 1']);
    expect(attempts[3]).toEqual([]);
    const [failed] = await bench.store.jobs.list({ statuses: ['failed'] });
    expect(failed).toMatchObject({ kind: 'observe', subject: '1', attempts: 3, error: 'it is invalid' });
    expect(await bench.store.entries.transcript('claude-code', 's1')).toHaveLength(6);
  });

  it('that is busy gets no question for any job until the time it asks for', async () => {
    const { distiller, asked } = scripted((n) => (n === 1 ? trouble('busy', 15 * minute) : undefined));
    const bench = await distillBench(distiller);
    await bench.session('s1', 2);
    await bench.session('s2', 2);
    const until = bench.now + 15 * minute;
    expect(await bench.run()).toMatchObject({ stopped: { reason: 'model', until, message: 'it is busy' } });
    expect(asked).toHaveLength(1);
    expect((await bench.store.jobs.counts()).waits).toEqual([{ reason: 'model', until, jobs: 8, error: 'it is busy' }]);
    bench.now = until - 1;
    await bench.run();
    expect(asked).toHaveLength(1);
    bench.now = until;
    expect((await bench.run()).done).toEqual({ observe: 4, summarize: 2, remember: 2 });
  });

  it('that lacks its setup never makes a job fail for good', async () => {
    const { distiller } = scripted(() => trouble('setup'));
    const bench = await distillBench(distiller);
    await bench.session('s1', 1);
    for (let i = 0; i < 30; i++) {
      await bench.run();
      bench.now += 2 * gapMs;
    }
    expect((await bench.store.jobs.counts()).failed).toBe(0);
  });

  it('is asked again at once when the settings change', async () => {
    const { distiller } = scripted((n) => (n === 1 ? trouble('setup') : undefined));
    const bench = await distillBench(distiller);
    await bench.session('s1', 1);
    expect(await bench.run()).toMatchObject({ stopped: { reason: 'model' } });
    const { settings } = bench.deps;
    const other = { ...settings, distill: { ...settings.distill, key: 'another' } };
    expect((await bench.run({ settings: other })).done.observe).toBe(1);
  });

  it('makes the runner wait longer after each failure, up to an hour, or as long as the service asks for', () => {
    expect([1, 2, 3, 4].map((n) => pauseAfter(n))).toEqual([10_000, 20_000, 40_000, 80_000]);
    expect(pauseAfter(30)).toBe(gapMs);
    expect(pauseAfter(1, 90_000)).toBe(90_000);
    expect(pauseAfter(5, 1000)).toBe(160_000);
    expect(pauseAfter(1, 30 * 24 * gapMs)).toBe(6 * gapMs);
  });

  it('that fails one call in three: at the end every job is done exactly once', async () => {
    const kinds = ['failed', 'invalid', 'busy', 'failed'] as const;
    const { distiller, asked } = scripted((n) => (n % 3 === 0 ? trouble(kinds[n % 4] ?? 'failed') : undefined));
    const bench = await distillBench({ ...distiller, parallel: 3 });
    for (let i = 0; i < 6; i++) await bench.session(`s${i}`, 3);
    for (let i = 0; i === 0 || (i < 60 && (await bench.store.jobs.counts()).ready > 0); i++) {
      await bench.run();
      bench.now += 10 * minute;
    }
    expect(await bench.store.jobs.counts()).toMatchObject({ ready: 0, claimed: 0, failed: 0, done: 30 });
    expect(await bench.store.distilled.observations({})).toHaveLength(18);
    expect(await bench.store.distilled.summaries({})).toHaveLength(6);
    expect(new Set(bench.kept).size).toBe(6);
    const paid = await bench.store.jobs.spending(0, () => '');
    expect(paid[0]?.calls).toBe(asked.length - Math.floor(asked.length / 3));
  });
});

describe('the budget', () => {
  it('of the day makes all jobs wait until the next day in the time zone of the person, and says so', async () => {
    const { distiller, asked } = scripted();
    const env = { budget: { tokensPerDay: 2500 }, timeZone: 'Pacific/Auckland' };
    const bench = await distillBench(distiller, env);
    await bench.session('s1', 2);
    await bench.session('s2', 2);
    const report = await bench.run();
    // A third call of 1,000 tokens would exceed the budget. In Auckland it is past midnight; the next midnight there is noon UTC.
    expect(asked).toHaveLength(2);
    expect(report.stopped).toMatchObject({ reason: 'budget', message: 'the 2500 tokens of this day are used up' });
    const until = Date.parse('2026-05-03T12:00:00Z');
    expect(report.stopped?.until).toBe(until);
    expect((await bench.store.jobs.counts()).waits).toEqual([{ reason: 'budget', until, jobs: 4 }]);
    await bench.run();
    expect(asked).toHaveLength(2);
    for (let day = 0; day < 2; day++) {
      bench.now = until + day * 24 * gapMs;
      await bench.run();
    }
    expect(await bench.store.jobs.counts()).toMatchObject({ ready: 0, done: 8 });
  });

  it('of a session stops that session alone', async () => {
    const { distiller } = scripted();
    const bench = await distillBench(distiller, { budget: { tokensPerSession: 1500 } });
    await bench.session('s1', 8);
    await bench.session('s2', 2);
    const report = await bench.run();
    expect(report.stopped).toBeUndefined();
    expect(report.done.observe).toBe(8);
    expect((await bench.store.jobs.counts()).waits).toMatchObject([{ reason: 'budget' }]);
  });

  it('applies at once when it is raised', async () => {
    const { distiller } = scripted();
    const bench = await distillBench(distiller, { budget: { tokensPerDay: 0 } });
    await bench.session('s1', 1);
    expect((await bench.run()).done.observe).toBe(0);
    const { settings } = bench.deps;
    const raised = { ...settings, budget: { ...settings.budget, tokensPerDay: 1_000_000 } };
    expect((await bench.run({ settings: raised })).done.observe).toBe(1);
  });

  it('does not delay work that costs nothing', async () => {
    const bench = await distillBench(offlineDistiller, { budget: { tokensPerDay: 0, tokensPerSession: 0 } });
    await bench.session('s1', 2);
    expect((await bench.run()).done.observe).toBe(2);
  });

  it('counts what one call for each tool use would have taken', async () => {
    const { distiller } = scripted();
    const bench = await distillBench(distiller);
    await bench.session('s1', 6);
    await bench.run();
    const [row] = await bench.store.jobs.spending(0, () => '');
    expect(row?.insteadOf).toBeGreaterThan(6 * 750);
  });
});

describe('rules of the offline distiller', () => {
  it('cause, when they change, all work of the old rules to be done again, but not the work of a model', async () => {
    const bench = await distillBench({ ...offlineDistiller, rules: 'old' });
    await bench.session('s1', 2);
    expect((await bench.run()).done).toEqual({ observe: 2, summarize: 1, remember: 1 });
    expect((await bench.run()).done).toEqual({ observe: 0, summarize: 0, remember: 0 });
    expect(await bench.store.jobs.renewByRules('offline', 'new', 0)).toBe(4);
    expect(await bench.store.jobs.renewByRules('offline', 'new', 0)).toBe(0);
    expect(await bench.store.jobs.renewByRules('test/model', 'new', 0)).toBe(0);
  });
});
