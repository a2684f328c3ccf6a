import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { distillBench, gapMs } from '../../../test/distill-bench.ts';
import { planningWith } from '../../../test/job-rules.ts';
import { offlineDistiller } from '../../distill/offline-distiller.ts';
import { type Distilling, distilling } from './distilling.ts';

const quick = { settleMs: 5, patienceMs: 40 };

async function set(run: (bench: Awaited<ReturnType<typeof distillBench>>, n: number) => Promise<number>) {
  const bench = await distillBench(offlineDistiller);
  const complaints: unknown[] = [];
  let [runs, looks] = [0, 0];
  const store = {
    ...bench.store,
    jobs: {
      ...bench.store.jobs,
      nextAt: () => {
        looks++;
        return bench.store.jobs.nextAt();
      },
    },
  };
  const worker: Distilling = distilling({
    store,
    clock: () => bench.now,
    planning: planningWith(gapMs),
    run: () => run(bench, ++runs),
    complain: (error) => complaints.push(error),
    ...quick,
  });
  onTestFinished(() => worker.close());
  return { bench, worker, complaints, runs: () => runs, looks: () => looks };
}

const doAll = async (bench: Awaited<ReturnType<typeof distillBench>>) => {
  const { done } = await bench.run();
  return done.observe + done.summarize + done.remember;
};

describe('the worker', () => {
  it('starts when something has changed and a job is due, and then stops checking', async () => {
    const { bench, worker, runs, looks } = await set(doAll);
    await bench.session('s1', 2);
    await sleep(50);
    expect(runs()).toBe(0);
    worker.wake();
    await expect.poll(() => bench.store.jobs.counts()).toMatchObject({ ready: 0, done: 4 });
    const looksMeanwhile = async () => {
      const before = looks();
      await sleep(150);
      return looks() - before;
    };
    await expect.poll(looksMeanwhile).toBe(0);
    expect(runs()).toBe(1);
  });

  it('plans nothing while distilling is off: conversations stay open to new entries', async () => {
    const bench = await distillBench(offlineDistiller);
    await bench.session('s1', 2);
    let runs = 0;
    const worker = distilling({
      store: bench.store,
      clock: () => bench.now,
      planning: planningWith(gapMs),
      isWanted: () => false,
      run: async () => ++runs,
      complain: () => {},
      ...quick,
    });
    onTestFinished(() => worker.close());
    worker.wake();
    await sleep(100);
    expect(runs).toBe(0);
    expect(await bench.store.jobs.counts()).toMatchObject({ ready: 0, done: 0 });
  });

  it('plans and starts nothing while a client starts', async () => {
    const bench = await distillBench(offlineDistiller);
    await bench.session('s1', 2);
    let [rests, go] = [0, () => {}];
    const started = new Promise<void>((resolve) => {
      go = resolve;
    });
    const rest = () => {
      rests++;
      return started;
    };
    const worker = distilling({
      ...{ store: bench.store, clock: () => bench.now, planning: planningWith(gapMs), rest, ...quick },
      run: () => doAll(bench),
      complain: () => {},
    });
    onTestFinished(() => worker.close());
    worker.wake();
    await expect.poll(() => rests).toBe(1);
    expect(await bench.store.jobs.counts()).toMatchObject({ ready: 0, done: 0 });
    go();
    await expect.poll(() => bench.store.jobs.counts()).toMatchObject({ ready: 0, done: 4 });
  });

  it('starts nothing for a running turn, and checks again when its silence is over', async () => {
    const { bench, worker, runs } = await set(doAll);
    await bench.session('s1', 1);
    const end = Date.parse((await bench.store.sessions.list({}))[0]?.endedAt ?? '');
    bench.now = end + gapMs - 100;
    worker.wake();
    await sleep(50);
    expect(runs()).toBe(0);
    bench.now = end + gapMs;
    await expect.poll(() => bench.store.jobs.counts()).toMatchObject({ done: 2 });
  });

  it('sees changes that come while it works', async () => {
    const { bench, worker } = await set(async (at, n) => {
      if (n === 1) {
        await at.session('s2', 1);
        worker.wake();
        return 0;
      }
      return doAll(at);
    });
    await bench.session('s1', 1);
    worker.wake();
    await expect.poll(() => bench.store.jobs.counts()).toMatchObject({ ready: 0, done: 4 });
  });

  it('leaves many sessions to the process that does the work', async () => {
    const { bench, worker, runs } = await set(doAll);
    for (let i = 0; i < 12; i++) await bench.session(`s${i}`, 1);
    worker.wake();
    await expect.poll(() => bench.store.jobs.counts()).toMatchObject({ ready: 0, done: 24 });
    expect(runs()).toBeGreaterThan(0);
  });

  it('does not immediately retry what fails or does nothing', async () => {
    const began: number[] = [];
    const { bench, worker, complaints, runs } = await set(async (_, n) => {
      began.push(performance.now());
      if (n % 2 === 1) throw new Error('no');
      return 0;
    });
    await bench.session('s1', 1);
    worker.wake();
    await expect.poll(runs).toBeGreaterThanOrEqual(4);
    await worker.close();
    // A busy machine makes the pauses longer, never shorter. Node counts whole milliseconds.
    const pauses = began.slice(1).map((at, i) => at - (began[i] as number));
    expect(Math.min(...pauses)).toBeGreaterThan(quick.patienceMs - 2);
    expect(complaints).toHaveLength(Math.ceil(runs() / 2));
  });

  it('ends only when its work has', async () => {
    let ended = false;
    const { bench, worker, runs } = await set(async () => {
      await sleep(60);
      ended = true;
      return 1;
    });
    await bench.session('s1', 1);
    worker.wake();
    await expect.poll(runs).toBe(1);
    await worker.close();
    expect(ended).toBe(true);
  });
});
