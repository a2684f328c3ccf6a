import { expect, it } from 'vitest';
import type { Work } from '../../schema/work.ts';
import { ofImport, type Reported, workInProgress } from './work.ts';

/** Work that runs until the test ends it. */
function held() {
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  let report: (progress: Reported) => void = () => {};
  const run = (given: (progress: Reported) => void) => {
    report = given;
    return over;
  };
  return { run, end, report: (progress: Reported) => report(progress) };
}

it('shows work with its progress until it ends', async () => {
  let now = 1_000_000;
  const work = workInProgress(() => now);
  const own = held();
  const running = work.during('import', own.run);
  expect(work.now(), 'it may still find that there is nothing to do').toEqual([]);
  own.report({ done: 10, total: 40, share: 0.3 });
  now += 5000;
  own.report({ done: 20, total: 40, share: 0.6 });
  expect(work.now()).toEqual([
    { kind: 'import', since: '1970-01-01T00:16:40.000Z', done: 20, total: 40, share: 0.6, secondsLeft: 7 },
  ]);
  own.end();
  await running;
  expect(work.now()).toEqual([]);
});

it('ends with work that fails, and passes its error on', async () => {
  const work = workInProgress(Date.now);
  const failing = work.during('distill', async (report) => {
    report({ done: 1, total: 2 });
    throw new Error('no model');
  });
  await expect(failing).rejects.toThrow('no model');
  expect(work.now()).toEqual([]);
});

it('shows the next part of an import as embedding, with an estimate of its own', async () => {
  let now = 0;
  const work = workInProgress(() => now);
  const own = held();
  const running = work.during('import', own.run);
  const sizes = { files: 3, totalFiles: 3, bytes: 900, totalBytes: 900 };
  own.report(ofImport({ ...sizes, bytes: 300 }));
  now = 4000;
  own.report(ofImport(sizes));
  own.report(ofImport({ ...sizes, embedded: { done: 50, total: 1000 } }));
  expect(work.now()).toEqual([
    { kind: 'embed', since: '1970-01-01T00:00:04.000Z', done: 50, total: 1000, share: 0.05 },
  ]);
  own.end();
  await running;
});

it('shows a backup, which cannot be counted, without numbers', async () => {
  const work = workInProgress(() => 0);
  const own = held();
  const running = work.during('backup', own.run);
  expect(work.now()).toEqual([{ kind: 'backup', since: '1970-01-01T00:00:00.000Z' }]);
  own.end();
  await running;
});

it('tells listeners once about many changes, and about the end', async () => {
  const work = workInProgress(() => 0, 20);
  const told: Work[][] = [];
  const own = held();
  const heard = () => new Promise<void>((resolve) => void work.subscribe(() => resolve()));
  work.subscribe((now) => told.push(now));
  const first = heard();
  const running = work.during('embed', own.run);
  for (let done = 0; done <= 100; done++) own.report({ done, total: 100 });
  await first;
  expect(told.map(([one]) => one?.done)).toEqual([100]);
  const last = heard();
  own.end();
  await running;
  await last;
  expect(told.at(-1)).toEqual([]);
});

it('does not tell listeners about work that ends before they could see it', async () => {
  const work = workInProgress(() => 0, 20);
  const told: Work[][] = [];
  work.subscribe((now) => told.push(now));
  await work.during('copy', async (report) => report({ done: 1, total: 2 }));
  const own = held();
  const heard = new Promise<void>((resolve) => void work.subscribe(() => resolve()));
  const running = work.during('backup', own.run);
  await heard;
  expect(told.map((all) => all.map(({ kind }) => kind))).toEqual([['backup']]);
  own.end();
  await running;
});
