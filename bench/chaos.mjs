// What a machine can do to the program: many transcripts, a huge one, no watches, no descriptors, no data folder, another database, another
// time. Small by default: CHAOS_FILES=50000 CHAOS_MB=2000 npm run bench chaos
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchFolder } from './corpus.mjs';
import { program, runNode, show } from './figures.mjs';

const files = Number(process.env.CHAOS_FILES ?? 2000);
const megabytes = Number(process.env.CHAOS_MB ?? 50);
const folder = scratchFolder();
let places = 0;

/** A separate machine: a data folder and a folder of transcripts. */
function machine() {
  const own = path.join(folder, String(places++));
  const projects = path.join(own, 'claude', 'projects', '-srv-shop');
  fs.mkdirSync(projects, { recursive: true });
  const env = {
    HOLDFAST_HOME: path.join(own, 'data'),
    HOLDFAST_PORT: String(42_700 + places),
    HOLDFAST_POLL_INTERVAL_MS: '500',
    HOLDFAST_DISTILL_AUTO: 'false',
    CLAUDE_CONFIG_DIR: path.join(own, 'claude'),
    HOME: own,
  };
  return { env, projects, data: env.HOLDFAST_HOME };
}

const line = (session, number, text, at = Date.UTC(2026, 0, 1) + number * 1000) =>
  `${JSON.stringify({
    type: number % 2 === 0 ? 'user' : 'assistant',
    uuid: `${session}-${number}`,
    sessionId: session,
    cwd: '/srv/shop',
    timestamp: new Date(at).toISOString(),
    message: { role: number % 2 === 0 ? 'user' : 'assistant', content: text },
  })}\n`;

const ingest = (env) => runNode([program, 'ingest', '--json', '--later'], env);

function worker({ env }, wrapper = [], more = {}) {
  const [file, ...rest] = [...wrapper, process.execPath, program, 'worker', 'run'];
  const child = spawn(file, rest, { env: { ...process.env, ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes));
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
  return { child, ended, said: () => said };
}

async function until(holds, what) {
  for (let waited = 0; waited < 120_000; waited += 50) {
    if (await holds()) return;
    await sleep(50);
  }
  throw new Error(`waited in vain for ${what}`);
}

/** Milliseconds from a change to its entry in the store. */
async function found(at, text, session = 's1') {
  const file = path.join(at.projects, `${session}.jsonl`);
  const began = performance.now();
  fs.appendFileSync(file, line(session, Math.floor(Math.random() * 1e9), text, Date.now()));
  await until(
    async () => JSON.parse((await runNode([program, 'search', text, '--json'], at.env)).out).hits.length > 0,
    `"${text}" to be found`,
  );
  return performance.now() - began;
}

async function end(running) {
  const began = performance.now();
  running.child.kill('SIGTERM');
  await running.ended;
  return performance.now() - began;
}

const rows = [];

const many = machine();
for (let i = 0; i < files; i++)
  fs.writeFileSync(
    path.join(many.projects, `m${i}.jsonl`),
    line(`m${i}`, 0, `question ${i}`) + line(`m${i}`, 1, `answer ${i}`),
  );
const first = await ingest(many.env);
rows.push([`${files} transcripts, import`, first.ms / 1000, 's', undefined, `${first.peak.toFixed(0)} MB at most`]);
rows.push(['the second scan of them', (await ingest(many.env)).ms / 1000, 's']);

const huge = machine();
const target = path.join(huge.projects, 'huge.jsonl');
const fd = fs.openSync(target, 'w');
let lines = 0;
for (let size = 0; size < megabytes * 1e6; ) {
  const block = Array.from({ length: 500 }, () =>
    line('huge', lines++, `line ${lines} ${'of a long session '.repeat(100)}`),
  ).join('');
  size += fs.writeSync(fd, block);
}
fs.closeSync(fd);
const large = await ingest(huge.env);
rows.push([
  `one transcript of ${megabytes} MB, ${lines} lines`,
  large.ms / 1000,
  's',
  undefined,
  `${large.peak.toFixed(0)} MB at most`,
]);
fs.appendFileSync(target, line('huge', lines, 'one more'));
rows.push(['its next line', (await ingest(huge.env)).ms / 1000, 's']);

const limited = (what) => ['unshare', '-Ur', 'sh', '-c', `${what}; exec "$@"`, 'sh'];
const noWatches = limited('echo 0 > /proc/sys/user/max_inotify_watches');
if (spawnSync(noWatches[0], [...noWatches.slice(1), 'true']).status !== 0)
  console.log('  skipped: no watches (unshare is not allowed)');
else {
  const at = machine();
  const running = worker(at, noWatches);
  await until(() => running.said().includes('listening'), 'the worker');
  rows.push([
    'no watches left: a new line is found after',
    await found(at, 'unwatched'),
    'ms',
    undefined,
    'polls every 500 ms',
  ]);
  rows.push(['SIGTERM ends that worker after', await end(running), 'ms']);
}

if (spawnSync('prlimit', ['--version']).status !== 0) console.log('  skipped: no descriptors (prlimit is missing)');
else {
  const at = machine();
  const running = worker(at);
  await until(() => running.said().includes('listening'), 'the worker');
  const limit = (most) => spawnSync('prlimit', ['--pid', String(running.child.pid), `--nofile=${most}:`]);
  limit(3);
  await sleep(3000);
  limit(1024);
  rows.push(['no descriptors for 3 s: a new line is found after', await found(at, 'described'), 'ms']);
  rows.push(['SIGTERM ends that worker after', await end(running), 'ms']);
}

{
  const at = machine();
  const running = worker(at);
  await until(() => running.said().includes('listening'), 'the worker');
  const began = performance.now();
  fs.rmSync(at.data, { recursive: true, force: true });
  await running.ended;
  rows.push(['data folder removed: the worker ends after', performance.now() - began, 'ms']);
}

{
  const at = machine();
  fs.writeFileSync(path.join(at.projects, 's1.jsonl'), line('s1', 0, 'kept'));
  await ingest(at.env);
  const copy = path.join(folder, 'older.db');
  await runNode([program, 'backup', copy, '--json'], at.env);
  const running = worker(at);
  await until(() => running.said().includes('listening'), 'the worker');
  const began = performance.now();
  fs.renameSync(copy, path.join(at.data, 'holdfast.db'));
  await running.ended;
  rows.push(['database replaced: the worker ends after', performance.now() - began, 'ms']);
}

const faketime = spawnSync('sh', ['-c', 'ls /usr/lib/*/faketime/libfaketime.so.1'])
  .stdout.toString()
  .trim()
  .split('\n')[0];
if (!faketime) console.log('  skipped: clock jumps (libfaketime is missing; Debian has it as faketime)');
else {
  const at = machine();
  const clock = path.join(folder, 'clock');
  fs.writeFileSync(clock, '+0d');
  const running = worker(at, [], {
    LD_PRELOAD: faketime,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  await until(() => running.said().includes('listening'), 'the worker');
  for (const jump of ['-30d', '+400d', '-3650d']) {
    fs.writeFileSync(clock, jump);
    rows.push([
      `clock set by ${jump}: a new line is found after`,
      await found(at, `jump${jump.replace(/\W/g, 'x')}`),
      'ms',
    ]);
  }
  rows.push(['SIGTERM ends that worker after', await end(running), 'ms']);
}

show(rows);
