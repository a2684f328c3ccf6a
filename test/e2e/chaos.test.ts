// A hostile system: no watches, no file descriptors, no write permission, a swapped database, a wrong clock.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { because } from '../because.ts';
import { ask, expectNoTrace, holdfast, launch, type Place, place, until } from './holdfast.ts';
import { itOnSmallDisk, noMount, smallDisk } from './small-disk.ts';

const succeeds = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const noUnshare = succeeds('unshare', '-Ur', 'sh', '-c', 'echo 3 > /proc/sys/user/max_inotify_watches')
  ? undefined
  : 'unshare may not limit watches here';
const noLimit = succeeds('prlimit', '--version') ? undefined : 'prlimit is not installed';
const faketime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find((file) => existsSync(file));
const noFaketime = faketime === undefined ? 'libfaketime is not installed' : undefined;

const line = (id: string, text: string, at: string): string =>
  `${JSON.stringify({ type: 'user', uuid: id, sessionId: 's1', cwd: '/srv/shop', timestamp: at, message: { role: 'user', content: text } })}\n`;

function withTranscript(own: Place, ...texts: string[]): string {
  const file = path.join(own.claude, '-srv-shop', 's1.jsonl');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, texts.map((text, i) => line(`u${i}`, text, `2026-03-01T10:0${i}:00Z`)).join(''));
  return file;
}

/** A transcript that was unreadable for a moment is a finding, so the exit code is 1. The counts are printed all the same. */
const entriesOf = async (own: Place): Promise<number> =>
  JSON.parse((await holdfast(own.env, 'doctor', '--json')).stdout).counts.entries;

for (const watches of [0, 3])
  it.skipIf(noUnshare)(
    because(`a worker with ${watches} watches polls instead, and SIGTERM ends it`, noUnshare),
    async () => {
      const own = place();
      const env = { ...own.env, HOLDFAST_POLL_INTERVAL_MS: '300' };
      // Neither the agent's folder nor its parent exists yet, so the worker has to watch further up.
      const limited = `echo ${watches} > /proc/sys/user/max_inotify_watches; exec "$@"`;
      const running = launch(env, ['worker', 'run'], ['unshare', '-Ur', 'sh', '-c', limited, 'sh']);
      await running.says('no more watched folders');
      withTranscript(own, 'said while no watch was left');
      await until(async () => (await entriesOf(own)) === 1, 'the entry');
      running.child.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0, signal: null });
      expect(existsSync(path.join(own.home, 'worker.pid'))).toBe(false);
    },
  );

it.skipIf(noLimit)(
  because('a worker that ran out of descriptors continues when some are free again', noLimit),
  async () => {
    const own = place();
    const env = { ...own.env, HOLDFAST_POLL_INTERVAL_MS: '200' };
    const file = withTranscript(own, 'before');
    const running = launch(env, ['worker', 'run']);
    await until(async () => existsSync(own.database) && (await entriesOf(own)) === 1, 'the first entry');
    const limit = (most: string) => execFileSync('prlimit', ['--pid', String(running.child.pid), `--nofile=${most}:`]);
    const before = running.said().length;
    limit('3');
    appendFileSync(file, line('u9', 'while none was left', '2026-03-01T11:00:00Z'));
    await until(() => running.said().slice(before).includes('too many files'), 'the complaint');
    limit('1024');
    await until(async () => (await entriesOf(own)) === 2, 'the second entry');
    running.child.kill('SIGTERM');
    const end = await running.ended;
    expect({ code: end.code, signal: end.signal }).toEqual({ code: 0, signal: null });
    expectNoTrace(end);
  },
);

itOnSmallDisk(because('a read-only data folder can be searched and read', noMount), async () => {
  const made = place();
  withTranscript(made, 'why does the login test flake', 'because of the clock');
  await ask(made.env, 'ingest');
  const disk = smallDisk(made.folder, 60);
  const home = path.join(disk.path, 'data');
  cpSync(made.home, home, { recursive: true });
  const own = place({ folder: path.join(made.folder, 'other'), home, claude: made.claude });
  disk.protect(true);
  const { hits } = await ask(own.env, 'search', 'flake');
  expect(hits).toHaveLength(1);
  expect((await ask(own.env, 'sessions')).sessions).toHaveLength(1);
  expect((await ask(own.env, 'show', 's1')).entries).toHaveLength(2);
  const refused = await holdfast(own.env, 'ingest', '--reimport');
  expect(refused.code).toBe(8);
  expect(refused.stderr).toContain('cannot be written');
  expectNoTrace(refused);
  disk.protect(false);
  expect((await ask(own.env, 'search', 'flake')).hits).toHaveLength(1);
});

it('a worker whose database was replaced ends, and the next one opens the new file', async () => {
  const own = place();
  withTranscript(own, 'one', 'two');
  await ask(own.env, 'ingest');
  const copy = path.join(own.folder, 'older.db');
  await ask(own.env, 'backup', copy);
  const env = { ...own.env, HOLDFAST_POLL_INTERVAL_MS: '200' };
  const running = launch(env, ['worker', 'run']);
  await running.says('Watching');
  renameSync(copy, own.database);
  const end = await running.ended;
  expect(end.stdout).toContain('was replaced');
  expect(existsSync(path.join(own.home, 'worker.pid'))).toBe(false);
});

it('a worker sweeps what a worker killed during its start has left', async () => {
  const own = place();
  await ask(own.env, 'ingest');
  const left = path.join(own.home, 'worker.pid.0f6a1c9e-7a36-4f0e-9d51-3f2b1c0d9e8a');
  writeFileSync(left, `${JSON.stringify({ pid: 4_000_000, started: 'long ago', since: '2026-01-01T00:00:00Z' })}\n`);
  await ask(own.env, 'worker', 'start');
  await until(() => !existsSync(left), 'the draft to be gone');
  await ask(own.env, 'worker', 'stop');
  expect(readdirSync(own.home).filter((name) => name.startsWith('worker.pid'))).toEqual([]);
});

it.skipIf(noFaketime)(
  because('a pause that began under a wrong clock holds after the clock is corrected', noFaketime),
  async () => {
    const own = place();
    const wrong = { ...own.env, LD_PRELOAD: faketime, FAKETIME: '+365d' };
    await ask(wrong, 'pause');
    const file = withTranscript(own);
    const now = () => new Date().toISOString();
    writeFileSync(file, line('a', 'said in the pause', now()));
    await ask(own.env, 'ingest');
    expect(await entriesOf(own)).toBe(0);
    await ask(own.env, 'resume-capture');
    appendFileSync(file, line('b', 'said after it', new Date(Date.now() + 180_000).toISOString()));
    await ask(own.env, 'ingest', '--reimport');
    expect(await entriesOf(own)).toBe(1);
  },
);
