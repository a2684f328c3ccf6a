// No text stops the program. Difficult text is read in bounded time or set aside while the rest continues. SIGTERM ends every command.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { ask, expectNoTrace, holdfast, launch, type Place, place, root, temporaryFolder, until } from './holdfast.ts';
import { writeTranscripts } from './transcripts.ts';

const line = (id: string, session: string, text: string, minute = 0): string =>
  `${JSON.stringify({
    type: 'user',
    uuid: id,
    sessionId: session,
    cwd: '/srv/shop',
    timestamp: new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString(),
    message: { role: 'user', content: text },
  })}\n`;

function write(own: Place, session: string, ...lines: string[]): string {
  const file = path.join(own.claude, '-srv-shop', `${session}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, lines.join(''));
  return file;
}

/** A line that takes many seconds to read on any machine: word segmentation of ten million letters without a space. */
const hard = '中'.repeat(10_000_000);
const hasty = (own: Place) => ({ ...own.env, HOLDFAST_READ_SECONDS: '1.5' });
const setAsideIn = (report: { checks: { name: string; ok: boolean; message: string }[] }) =>
  report.checks.find(({ name }) => name === 'set aside');

it.each([200_000, 1_000_000])('a line of %d letters without a space is imported and found', async (letters) => {
  const own = place();
  write(own, 's1', line('a', 's1', `${'中'.repeat(letters)}数据库`), line('b', 's1', 'the next line', 1));
  const report = await ask(own.env, 'ingest');
  expect(report.entries.added).toBe(2);
  expect((await ask(own.env, 'search', '数据库')).hits).toHaveLength(1);
});

it('a transcript that takes too long is set aside, the rest continues, and a higher limit reads it', async () => {
  const own = place();
  const file = write(own, 's1', line('a', 's1', 'before'), line('b', 's1', hard, 1), line('c', 's1', 'after', 2));
  write(own, 's2', line('d', 's2', 'another session'));
  const first = await holdfast(hasty(own), 'ingest', '--json');
  expect(first.code).toBe(1);
  const report = JSON.parse(first.stdout);
  expect(report.files).toMatchObject({ failed: 1 });
  expect(report.problems[0].message).toContain(`${file} was set aside: reading it stood still`);
  expect((await ask(own.env, 'search', 'another')).hits).toHaveLength(1);

  for (const command of ['doctor', 'status']) {
    const { stdout } = await holdfast(own.env, command, '--json');
    expect(setAsideIn(JSON.parse(stdout))).toMatchObject({ ok: false, message: expect.stringContaining(file) });
  }
  // A pass does not retry the file, although it grew.
  appendFileSync(file, line('e', 's1', 'later', 3));
  expect((await ask(hasty(own), 'ingest')).files).toMatchObject({ failed: 0 });

  const patient = { ...own.env, HOLDFAST_READ_SECONDS: '3600' };
  expect((await ask(patient, 'ingest', '--retry')).entries.added).toBe(4);
  const { stdout } = await holdfast(own.env, 'doctor', '--json');
  expect(setAsideIn(JSON.parse(stdout))).toBeUndefined();
});

it('a transcript that was set aside is read after it is replaced', async () => {
  const own = place();
  write(own, 's1', line('b', 's1', hard));
  expect((await holdfast(hasty(own), 'ingest')).code).toBe(1);
  write(own, 's1', line('b', 's1', 'something short'));
  expect((await ask(hasty(own), 'ingest')).entries.added).toBe(1);
});

it('a worker answers while it reads a line that takes too long, sets the file aside, and imports the others', async () => {
  const own = place();
  mkdirSync(path.join(own.claude, '-srv-shop'), { recursive: true });
  const worker = launch(hasty(own), ['worker', 'run']);
  await worker.says('listening on');
  const port = own.env.HOLDFAST_PORT;
  write(own, 's1', line('b', 's1', hard));
  let slowest = 0;
  await until(async () => {
    const began = performance.now();
    expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - began);
    return worker.said().includes('was set aside');
  }, 'the file to be set aside');
  // The line alone takes longer than this, so the worker did not wait for it.
  expect(slowest).toBeLessThan(8000);
  write(own, 's2', line('d', 's2', 'another session'));
  await until(async () => (await ask(own.env, 'search', 'another')).hits.length === 1, 'the other session');
  worker.child.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ code: 0, signal: null });
});

it('SIGTERM ends an import that is busy with one line', async () => {
  const own = place();
  write(own, 's1', line('b', 's1', hard));
  const running = launch(own.env, ['ingest']);
  // A command listens for signals before it opens the store.
  await until(() => existsSync(path.join(own.env.HOLDFAST_HOME ?? '', 'holdfast.db')), 'the store');
  await sleep(1500);
  running.child.kill('SIGTERM');
  const end = await running.ended;
  expect({ code: end.code, stderr: end.stderr }).toEqual({
    code: 143,
    stderr: 'Stopped. What was done so far is kept; the next run continues from there.\n',
  });
});

it('SIGTERM ends `search`, `process` and `worker run` while they work', async () => {
  const own = place(writeTranscripts(path.join(place().folder, 'transcripts')));
  await ask(own.env, 'ingest');
  for (const [command, ms] of [
    [['search', 'a/'.repeat(25_000)], 150],
    [['process', '--all'], 1500],
    [['worker', 'run'], 1500],
  ] as const) {
    const running = launch(own.env, command);
    await sleep(ms);
    running.child.kill('SIGTERM');
    const end = await running.ended;
    expect([0, 143, null]).toContain(end.code);
    if (end.code === null) expect(end.signal).toBe('SIGTERM');
    expectNoTrace(end);
  }
});

it.each([
  ['guarded', 'an endless computation', { work: 'for (;;);' }],
  ['timed', 'an endless wait', {}],
  ['timed', 'an endless computation that it announced', { before: 'await computes();', work: 'for (;;);' }],
  [
    'timed',
    'an endless computation after a rest',
    { before: 'await computes(); await sleep(4000); await computes();', work: 'for (;;);' },
  ],
  ['timed', 'an endless computation after the signal', { work: 'setTimeout(() => { for (;;); }, 2000);' }],
])(
  'SIGTERM ends a %s command in %s',
  async (kind, _, { before = '', work = '' }: { before?: string; work?: string }) => {
    const ending = path.join(root, 'dist/surfaces/cli/ending.js');
    const script = `
    const { endOnTermination, guardWhileBusy } = await import(${JSON.stringify(ending)});
    const computes = guardWhileBusy(3000);
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const stay = setInterval(() => {}, 1000);
    await endOnTermination({ ending: '${kind}' }, new AbortController());
    ${before}
    process.stdout.write('working\\n', () => { ${work} });
  `;
    const file = path.join(temporaryFolder(), 'computing.mjs');
    writeFileSync(file, script);
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe('SIGKILL');
  },
);
