// The queue of distilling, as every engine must implement it: planned from rows, claimed under a lease, done once in effect.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../src/schema/job.ts';
import type { NewObservation } from '../../src/store/distilled/port.ts';
import type { JobClaim, JobResult } from '../../src/store/jobs/port.ts';
import type { Store } from '../../src/store/store.ts';
import type { Chunk, NewEntry } from '../../src/store/transcripts/port.ts';
import { takeObservation } from '../distilled.ts';
import { planningWith, threeAttempts } from '../job-rules.ts';
import { base, chunk, entry, rules } from './chunks.ts';
import type { OpenStore } from './store.ts';

const minute = 60_000;
const gapMs = 60 * minute;

const ask = (id: string, at: number) => entry(id, `please ${id}`, { at: base + at * minute });
const reply = (id: string, at: number) =>
  entry(id, `done ${id}`, { at: base + at * minute, role: 'assistant', author: 'model' });
/** Two turns of a person. The second is the last. */
const twoTurns = [ask('p1', 0), reply('a1', 1), ask('p2', 2), reply('a2', 3)];
const last = base + 3 * minute;

const observation = (session: string, prompt: number, first: string): NewObservation => ({
  session,
  agent: 'claude-code',
  at: new Date(base).toISOString(),
  prompt,
  type: 'change',
  title: `turn ${prompt}`,
  subtitle: '',
  facts: [],
  narrative: '',
  concepts: [],
  filesRead: [],
  filesModified: [],
  tools: [],
  entries: [first],
  by: 'offline',
  tokens: 0,
});

export function describeJobs(name: string, open: () => Promise<OpenStore>): void {
  describe(`${name} implements store.jobs, the queue of distilling`, () => {
    let opened: OpenStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    const commit = (...chunks: Chunk[]) => store.transcripts.commit(chunks, rules);
    const append = (entries: NewEntry[], from: number) => commit(chunk(entries, { from }));
    const plan = (now = last) => store.jobs.plan(now, planningWith(gapMs));
    const claim = (now: number, more: Partial<JobClaim> = {}, from = store) =>
      from.jobs.claim({ claimant: 'one', now, leaseMs: 1000, ...threeAttempts, limit: 10, ...more });
    const list = async (): Promise<string[]> =>
      (await store.jobs.list({})).map(({ kind, subject, status }) => `${kind} ${subject} ${status}`).sort();
    const job = async (kind: Job['kind'], subject = ''): Promise<Job> =>
      (await store.jobs.list({})).find((one) => one.kind === kind && one.subject === subject) as Job;
    const end = (id: number, prompt: number, first: string): JobResult => ({
      kind: 'observe',
      id,
      by: 'offline',
      tokens: 0,
      observation: observation('s1', prompt, first),
    });

    it('has no jobs at first, and writes nothing to find that out', async () => {
      expect(await plan()).toBe(true);
      expect(await claim(last)).toEqual([]);
      expect(await store.jobs.list({})).toEqual([]);
      expect(await store.jobs.nextAt()).toBeUndefined();
      expect(await store.jobs.counts()).toEqual({ ready: 0, claimed: 0, done: 0, failed: 0, cancelled: 0, waits: [] });
    });

    it('plans a job for each turn and one for the session; the last turn waits for its end or for a silence', async () => {
      await commit(chunk(twoTurns));
      await plan();
      expect(await list()).toEqual(['observe 1 ready', 'observe 2 ready', 'summarize  ready']);
      expect((await job('observe', '1')).notBefore).toBe(new Date(0).toISOString());
      for (const waiting of [await job('observe', '2'), await job('summarize')])
        expect(Date.parse(waiting.notBefore)).toBe(last + gapMs);
      expect((await claim(last)).map(({ subject }) => subject)).toEqual([1]);
      expect(await store.jobs.nextAt()).toBe(last + 1000);
      await store.sessions.note({ agent: 'claude-code', session: 's1', at: last, event: 'stop' });
      await plan();
      expect((await claim(last)).map(({ kind, subject }) => `${kind} ${subject}`)).toEqual(['observe 2']);
    });

    it('leaves a turn alone whose prompt came after the agent last stopped', async () => {
      await store.sessions.note({ agent: 'claude-code', session: 's1', at: base + minute, event: 'stop' });
      await commit(chunk([ask('p1', 0), reply('a1', 1), ask('p2', 30)]));
      await plan();
      expect(Date.parse((await job('observe', '2')).notBefore)).toBe(base + 30 * minute + gapMs);
    });

    it('planning again changes nothing, and neither does a crash in the middle', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const before = await store.jobs.list({});
      await store.sessions.note({ agent: 'claude-code', session: 's1', at: last, event: 'start' });
      await plan(last + 5);
      expect(await store.jobs.list({})).toEqual(before);
      expect(await store.jobs.plan(last, planningWith(gapMs), 1)).toBe(true);
    });

    it('plans as many sessions as it is asked to, and says that some are left', async () => {
      for (const session of ['s1', 's2', 's3'])
        await commit(
          chunk(
            [1, 2].map((i) => ({ ...ask(`${session}-${i}`, i), session })),
            { key: `p/${session}.jsonl` },
          ),
        );
      expect(await store.jobs.plan(last, planningWith(gapMs), 2)).toBe(false);
      expect(new Set((await store.jobs.list({})).map(({ session }) => session)).size).toBe(2);
      expect(await store.jobs.plan(last, planningWith(gapMs), 2)).toBe(true);
      expect(new Set((await store.jobs.list({})).map(({ session }) => session)).size).toBe(3);
    });

    it('gives a job to one claimant only, until its lease ends', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const other = await opened.reopen();
      const now = last + gapMs;
      const taken = [...(await claim(now, { limit: 1 })), ...(await claim(now, { limit: 1, claimant: 'two' }, other))];
      expect(taken.map(({ subject }) => subject)).toEqual([1, 2]);
      expect(await claim(now, {}, other)).toEqual([]);
      await store.jobs.renewClaims('one', now + 5000);
      expect(await claim(now + 1000, { claimant: 'three', leaseMs: 60_000 }, other)).toMatchObject([
        { subject: 2, attempts: 2 },
      ]);
      expect(await claim(now + 5000, { claimant: 'three' }, other)).toMatchObject([{ subject: 1, attempts: 2 }]);
    });

    it('ends a job together with its result; a result after the lease is dropped', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const now = last + gapMs;
      const [first, second] = await claim(now);
      expect(await store.jobs.finish('one', [end(first?.id ?? 0, 1, 'p1')], now)).toEqual([first?.id]);
      expect((await store.distilled.observations({})).map(({ title }) => title)).toEqual(['turn 1']);
      const [again] = await claim(now + 1000, { claimant: 'two' });
      expect(again?.id).toBe(second?.id);
      expect(await store.jobs.finish('one', [end(second?.id ?? 0, 2, 'p2')], now + 1001)).toEqual([]);
      expect(await store.distilled.observations({})).toHaveLength(1);
      expect(await store.jobs.finish('two', [end(second?.id ?? 0, 2, 'p2')], now + 1001)).toHaveLength(1);
      expect(await store.distilled.observations({})).toHaveLength(2);
      expect(await store.jobs.finish('two', [end(second?.id ?? 0, 2, 'p2')], now + 1002)).toEqual([]);
      expect(await list()).toEqual(['observe 1 done', 'observe 2 done', 'summarize  ready']);
    });

    it('deletes the observations of a turn that has nothing to observe any more', async () => {
      await commit(chunk(twoTurns));
      await takeObservation(store, observation('s1', 1, 'p1'));
      await plan();
      const [first] = await claim(last);
      await store.jobs.finish('one', [{ ...end(first?.id ?? 0, 1, 'p1'), observation: undefined } as JobResult], last);
      expect(await store.distilled.observations({})).toEqual([]);
    });

    it('makes a summary only when every turn has been observed, or given up', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const now = last + gapMs;
      const taken = await claim(now);
      expect(await claim(now)).toEqual([]);
      expect(await store.jobs.nextAt()).toBe(now + 1000);
      await store.jobs.fail(
        'one',
        [taken[0]?.id ?? 0],
        { error: 'no', retryAt: 0, ...threeAttempts, maxAttempts: 1 },
        now,
      );
      expect(await claim(now)).toEqual([]);
      await store.jobs.finish('one', [end(taken[1]?.id ?? 0, 2, 'p2')], now);
      expect(await claim(now)).toMatchObject([{ kind: 'summarize' }]);
    });

    it('makes a finished job ready again when its turn has grown, and only that job', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const now = last + gapMs;
      await store.jobs.finish(
        'one',
        (await claim(now)).map(({ id, subject }) => end(id, subject, `p${subject}`)),
        now,
      );
      await append([reply('a3', 4)], 40);
      await plan();
      expect(await list()).toEqual(['observe 1 done', 'observe 2 ready', 'summarize  ready']);
      expect(Date.parse((await job('observe', '2')).notBefore)).toBe(base + 4 * minute + gapMs);
    });

    it('keeps a job open if its material grew during the work', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const now = last + gapMs;
      const taken = await claim(now);
      await append([reply('a3', 4)], 40);
      await plan();
      await store.jobs.finish(
        'one',
        taken.map(({ id, subject }) => end(id, subject, `p${subject}`)),
        now,
      );
      expect(await list()).toEqual(['observe 1 done', 'observe 2 ready', 'summarize  ready']);
    });

    it('drops the jobs and observations of turns that the session no longer has', async () => {
      await commit(chunk(twoTurns));
      await takeObservation(store, observation('s1', 2, 'p2'));
      await plan();
      await commit(chunk(twoTurns.slice(0, 2), { restart: true, prune: true }));
      await plan();
      expect(await list()).toEqual(['observe 1 ready', 'summarize  ready']);
      expect(await store.distilled.observations({})).toEqual([]);
    });

    it('retries when told to, then gives up and says why', async () => {
      await commit(chunk(twoTurns));
      await plan();
      for (let attempt = 1; attempt <= 3; attempt++) {
        const [taken] = await claim(last + attempt, { limit: 1 });
        expect(taken).toMatchObject({ subject: 1, attempts: attempt });
        const failure = { error: `no ${attempt}`, retryAt: last + attempt + 1, ...threeAttempts };
        await store.jobs.fail('one', [taken?.id ?? 0], failure, last + attempt);
        expect(await claim(last + attempt, { limit: 1 })).toEqual([]);
      }
      expect(await job('observe', '1')).toMatchObject({ status: 'failed', attempts: 3, error: 'no 3' });
      const { id } = await job('observe', '1');
      expect(await store.jobs.retry({ ids: [id] }, last)).toBe(1);
      expect(await job('observe', '1')).toMatchObject({ status: 'ready', attempts: 0 });
      expect(await claim(last)).toMatchObject([{ id, attempts: 1 }]);
    });

    it('returns an unfinished job as if it had never been claimed', async () => {
      await commit(chunk(twoTurns));
      await plan();
      await claim(last);
      await store.jobs.release('one', last);
      expect(await job('observe', '1')).toMatchObject({ status: 'ready', attempts: 0 });
    });

    it('cancels unfinished jobs; new material brings them back', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const now = last + gapMs;
      const [first, second] = await claim(now);
      await store.jobs.finish('one', [end(first?.id ?? 0, 1, 'p1')], now);
      const ids = [first?.id ?? 0, second?.id ?? 0, 987_654];
      expect(await store.jobs.cancel(ids, now)).toEqual([second?.id]);
      expect(await store.jobs.finish('one', [end(second?.id ?? 0, 2, 'p2')], now)).toEqual([]);
      expect(await list()).toEqual(['observe 1 done', 'observe 2 cancelled', 'summarize  ready']);
      await append([reply('a3', 4)], 40);
      await plan();
      expect((await job('observe', '2')).status).toBe('ready');
    });

    it('makes all jobs wait for something, and ends the wait when the settings change', async () => {
      await commit(chunk(twoTurns));
      await plan();
      await store.jobs.undefer('a');
      const until = last + 10 * gapMs;
      expect(await store.jobs.defer(until, 'budget')).toBe(3);
      expect(await claim(last + gapMs)).toEqual([]);
      expect(await store.jobs.nextAt()).toBe(until);
      expect((await store.jobs.counts()).waits).toEqual([{ reason: 'budget', until, jobs: 3 }]);
      await plan();
      expect(await store.jobs.undefer('a')).toBe(0);
      expect(await store.jobs.undefer('b')).toBe(3);
      expect(await claim(last)).not.toEqual([]);
    });

    it('counts spending, and keeps a reserve within the limits of the day and of the session', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const now = last + gapMs;
      const [first, second] = await claim(now);
      const limits = { dayStart: now - 1000, perDay: 1000, perSession: 800 };
      const reserve = (tokens: number, job = first, more = {}) =>
        store.jobs.reserveTokens(job?.id ?? 0, tokens, { ...limits, ...more }, now);
      expect(await reserve(1001)).toBe('day');
      expect(await reserve(801)).toBe('session');
      expect(await reserve(500)).toBe('ok');
      expect(await reserve(500)).toBe('ok');
      expect(await reserve(400, second)).toBe('session');
      expect(await reserve(600, second, { perSession: 10_000 })).toBe('day');
      const usage = { calls: 1, input: 300, output: 60 };
      const spent = {
        agent: 'claude-code',
        session: 's1',
        kind: 'observe',
        model: 'm',
        usage,
        insteadOf: 900,
      } as const;
      await store.jobs.finish('one', [end(first?.id ?? 0, 1, 'p1')], now, spent);
      expect(await reserve(440, second)).toBe('ok');
      expect(await reserve(441, second)).toBe('session');
      expect(await reserve(441, second, { dayStart: now + 1, perSession: 10_000 })).toBe('ok');
      expect(await store.jobs.spending(0, () => 'today')).toEqual([
        { day: 'today', model: 'm', calls: 1, inputTokens: 300, outputTokens: 60, insteadOf: 900 },
      ]);
    });

    it('repeats on request what another distiller has done', async () => {
      await commit(chunk(twoTurns));
      await plan();
      const [first] = await claim(last);
      await store.jobs.finish('one', [end(first?.id ?? 0, 1, 'p1')], last);
      expect(await store.jobs.redo({ notBy: ['offline'] }, last)).toBe(0);
      expect(await store.jobs.redo({ notBy: ['a model', 'another'] }, last)).toBe(1);
      expect((await job('observe', '1')).status).toBe('ready');
    });

    it('queues a conversation with its job, and archives it when the job ends', async () => {
      await commit(chunk([...twoTurns, ask('p3', 4)]));
      await store.conversations.markReady(last + 3 * gapMs, { gapMs, minEntries: 5 });
      await plan();
      const status = async () => (await store.conversations.list({}))[0]?.status;
      expect(await status()).toBe('queued');
      const now = last + gapMs;
      expect(await claim(now, { kind: 'remember' }), 'before its turns').toEqual([]);
      const turns = await store.jobs.list({ kind: 'observe' });
      await store.jobs.cancel(
        turns.map(({ id }) => id),
        now,
      );
      const [taken] = await claim(now, { kind: 'remember' });
      expect(await status()).toBe('processing');
      await store.jobs.release('one', now);
      expect(await status()).toBe('queued');
      await claim(now, { kind: 'remember' });
      await store.jobs.finish('one', [{ kind: 'remember', id: taken?.id ?? 0, by: 'offline', tokens: 0 }], now);
      expect(await status()).toBe('archived');
      expect((await store.jobs.list({ kind: 'remember' }))[0]?.status).toBe('done');
    });

    it('deletes the jobs of a deleted session', async () => {
      await commit(chunk(twoTurns));
      await plan();
      await claim(last);
      await store.removal.deleteSessions([{ agent: 'claude-code', session: 's1' }], rules);
      expect(await store.jobs.list({})).toEqual([]);
      expect(await store.admin.integrity()).toEqual([]);
    });
  });
}
