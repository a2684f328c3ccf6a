import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processStart } from './claim.ts';
import { claimWorker, isOlder, startWorker, stopWorker, workerStatus } from './worker-process.ts';

const root = path.join(import.meta.dirname, '../..');
const built = mkdtempSync(path.join(tmpdir(), 'holdfast-worker-'));
const script = path.join(built, 'stand-in.js');

/** A worker that only does what every worker must: claim, stay, release. */
const standIn = `
  import { claimWorker } from './processes/worker-process.js';
  const [home, manner, version = '1.0.0'] = process.argv.slice(2);
  if (manner === 'fail') { console.error('the store is damaged'); process.exit(6); }
  const { release, other } = await claimWorker({ home }, version);
  if (other !== undefined) { console.log('other', other); process.exit(0); }
  console.log('started', process.pid);
  process.on('SIGTERM', () => { if (manner !== 'deaf') { release(); process.exit(0); } });
  setInterval(() => {}, 1000);
`;

beforeAll(() => {
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  const tsconfig = path.join(built, 'tsconfig.json');
  const compilerOptions = { rootDir: path.join(root, 'src'), outDir: built, noCheck: true, types: [] };
  const files = [path.join(root, 'src/processes/worker-process.ts')];
  writeFileSync(
    tsconfig,
    JSON.stringify({ extends: path.join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
  );
  writeFileSync(path.join(built, 'package.json'), '{"type":"module"}');
  execFileSync(tsc, ['-p', tsconfig]);
  writeFileSync(script, standIn);
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

let home: string;
const place = () => ({ home, logPath: path.join(home, 'logs', 'worker.log') });
const pidFile = () => path.join(home, 'worker.pid');
const start = (manner = 'well', version = '1.0.0') =>
  startWorker(place(), [process.execPath, script, home, manner, version], { version });
const started = () => readFileSync(place().logPath, 'utf8').match(/^started/gm)?.length;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'holdfast-home-'));
});
afterEach(async () => {
  await stopWorker(place());
  rmSync(home, { recursive: true, force: true });
});

describe('the worker process', () => {
  it('starts once, says so, and stops', async () => {
    expect(await workerStatus(place())).toEqual({ running: false });
    const { pid, alreadyRunning } = await start();
    expect(alreadyRunning).toBe(false);
    expect(await workerStatus(place())).toMatchObject({ running: true, pid, since: expect.stringMatching(/^20/) });
    expect(await start()).toEqual({ pid, alreadyRunning: true });
    expect(await stopWorker(place())).toEqual({ stopped: true, pid });
    expect(await processStart(pid)).toBeUndefined();
    expect(existsSync(pidFile())).toBe(false);
    expect(await stopWorker(place())).toEqual({ stopped: false });
  });

  it('ten starts at once give one worker', async () => {
    const starts = await Promise.all(Array.from({ length: 10 }, () => start()));
    expect(new Set(starts.map(({ pid }) => pid)).size).toBe(1);
    expect(starts.filter(({ alreadyRunning }) => !alreadyRunning).length).toBeLessThanOrEqual(1);
    expect(started()).toBe(1);
  });

  it('of ten workers that start at once over a dead claim, one stays and nine end', async () => {
    writeFileSync(pidFile(), JSON.stringify({ pid: 2 ** 22 - 1, started: 'long ago', since: '2026-01-01T00:00:00Z' }));
    const workers = Array.from({ length: 10 }, () => spawn(process.execPath, [script, home], { stdio: 'ignore' }));
    const left = workers.map((worker) => new Promise((resolve) => worker.once('exit', () => resolve(worker.pid))));
    const gone = new Set<unknown>();
    for (const one of left) void one.then((pid) => gone.add(pid));
    await expect.poll(() => gone.size).toBe(9);
    const status = await workerStatus(place());
    expect(status).toMatchObject({ running: true });
    expect(gone.has('pid' in status ? status.pid : 0)).toBe(false);
    await stopWorker(place());
    await Promise.all(left);
    expect(readdirSync(home)).toEqual([]);
  });

  it('a recycled pid is neither mistaken for the worker nor signalled', async () => {
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      writeFileSync(
        pidFile(),
        JSON.stringify({ pid: bystander.pid, started: 'before', since: '2026-01-01T00:00:00Z' }),
      );
      expect(await workerStatus(place())).toEqual({ running: false });
      expect(await stopWorker(place())).toEqual({ stopped: false });
      expect((await start()).alreadyRunning).toBe(false);
      expect(bystander.exitCode).toBeNull();
      expect(await processStart(bystander.pid ?? 0)).toBeDefined();
    } finally {
      bystander.kill();
    }
  });

  it('a worker that was killed leaves a claim that the next one takes over', async () => {
    const first = await start();
    process.kill(first.pid, 'SIGKILL');
    await expect.poll(() => workerStatus(place())).toEqual({ running: false });
    const second = await start();
    expect(second.alreadyRunning).toBe(false);
    expect(second.pid).not.toBe(first.pid);
  });

  it.each(['', '{"pid":', 'null', '[]', '{"pid":-1,"started":""}'])(
    'a truncated claim (%j) holds nothing',
    async (text) => {
      writeFileSync(pidFile(), text);
      expect(await workerStatus(place())).toEqual({ running: false });
      const { release, other } = await claimWorker(place());
      expect(other).toBeUndefined();
      expect((await claimWorker(place())).other).toBe(process.pid);
      release();
      expect(readdirSync(home)).toEqual([]);
    },
  );

  it('a worker that fails says why', async () => {
    await expect(start('fail')).rejects.toThrow(/exit code 6\nthe store is damaged/);
    await expect(startWorker(place(), [path.join(home, 'no-such-program')])).rejects.toThrow(/ENOENT/);
  });

  it('a newer version replaces an older one, even when many start at once', async () => {
    const old = await start('well', '0.9.0');
    const starts = await Promise.all(Array.from({ length: 5 }, () => start('well', '0.10.0')));
    const [pid] = new Set(starts.map((one) => one.pid));
    expect(new Set(starts.map((one) => one.pid)).size).toBe(1);
    expect(pid).not.toBe(old.pid);
    expect(await processStart(old.pid)).toBeUndefined();
    expect(await workerStatus(place())).toMatchObject({ running: true, pid, version: '0.10.0' });
  });

  it('an older version does not replace a newer one', async () => {
    const { pid } = await start('well', '2.0.0');
    expect(await start('well', '1.9.9')).toEqual({ pid, alreadyRunning: true });
  });

  it('versions are compared by their numbers', () => {
    const ordered = ['0.9.0', '0.10.0-beta.2', '0.10.0-beta.10', '0.10.0', '0.10.1', '1.0.0'];
    ordered.forEach((a, i) => {
      for (const [j, b] of ordered.entries()) expect([a, b, isOlder(a, b)]).toEqual([a, b, i < j]);
    });
    expect([isOlder(undefined, '0.0.1'), isOlder('0.0.1', undefined), isOlder(undefined, undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('a worker that ignores the signal is killed', async () => {
    const { pid } = await start('deaf');
    expect(await stopWorker(place(), 200)).toEqual({ stopped: true, pid });
    expect(await processStart(pid)).toBeUndefined();
  });

  it('only the owner can read the claim and the log', async () => {
    await start();
    for (const file of [pidFile(), place().logPath]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
