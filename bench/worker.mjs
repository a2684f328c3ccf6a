// The idle worker: processor time and memory, after a start with nothing to do and after imports.
// WORKER_MB: the size of the large import (300).
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { longMemEval, realTranscripts, scratchFolder } from './corpus.mjs';
import { program, runNode, show } from './figures.mjs';

if (process.platform !== 'linux') {
  console.log('Processor time and memory are read from /proc, which only Linux has; skipped.');
  process.exit();
}

const seconds = 30;
const folder = scratchFolder();
const megabytes = Number(process.env.WORKER_MB ?? 300);
const homes = ['known', 'fresh', 'first', 'encoded', 'bare'];
// Neither distilling nor copies of transcripts: both take minutes after an import, and this bench is about the time after them. For the same
// reason the encoder reads only a small import: it would take half an hour for the large one.
const env = (home) => ({
  HOLDFAST_EMBEDDING_KIND: home === 'encoded' ? 'built-in' : 'static',
  HOLDFAST_DISTILL_AUTO: 'false',
  HOLDFAST_VAULT: 'false',
  HOLDFAST_HOME: path.join(folder, home),
  HOLDFAST_PORT: String(42_600 + homes.indexOf(home)),
  CLAUDE_CONFIG_DIR: path.join(folder, home === 'encoded' ? 'small' : 'claude'),
  HOME: folder,
});
const tree = realTranscripts(path.join(folder, 'claude', 'projects'), megabytes);
realTranscripts(path.join(folder, 'small', 'projects'), 3);
const past = longMemEval(path.join(folder, 'past'), 100_000);
await runNode([program, 'ingest', '--json', '--dir', path.join(folder, 'past')], env('known'));
await runNode([program, 'ingest', '--json'], env('known'));
console.log(`  watched: ${tree.files} transcripts; in the known home also ${past.lines} entries that are not watched`);

const run = (args, home) => spawn(process.execPath, args, { env: { ...process.env, ...env(home) }, stdio: 'ignore' });
const watched = {
  known: run([program, 'worker', 'run'], 'known'),
  fresh: run([program, 'worker', 'run'], 'fresh'),
  first: run([program, 'start'], 'first'),
  encoded: run([program, 'worker', 'run'], 'encoded'),
  bare: run(['-e', 'setInterval(() => {}, 1e9)'], 'bare'),
};
try {
  await Promise.all(Object.values(watched).map(settled));
  const soon = memory(watched.known);
  await sleep(seconds * 1000);
  const before = Object.values(watched).map(ticks);
  await sleep(seconds * 1000);
  const used = Object.values(watched).map((child, i) => ticks(child) - before[i]);
  const bare = `bare Node ${memory(watched.bare).toFixed(0)} MB`;
  show([
    [`processor time in ${seconds} s idle, nothing to import`, used[0] * 10, 'ms', 20, `bare Node ${used[4] * 10} ms`],
    [`processor time in ${seconds} s idle, after importing ${megabytes} MB`, used[1] * 10, 'ms', 20],
    ['memory, nothing to import, at once', soon, 'MB', 90, bare],
    ['memory, nothing to import, a minute later', memory(watched.known), 'MB', 90, bare],
    [`memory, after importing ${megabytes} MB`, memory(watched.fresh), 'MB', 90, bare],
    ['memory, `holdfast start` after the same', memory(watched.first), 'MB', 90, bare],
    ['memory, after importing 3 MB that the encoder has read', memory(watched.encoded), 'MB', 90, bare],
  ]);
} finally {
  for (const child of Object.values(watched)) child.kill();
  await Promise.all(
    Object.values(watched).map((child) => child.exitCode ?? new Promise((end) => child.once('exit', end))),
  );
}

/** CPU time so far, in hundredths of a second. */
function ticks({ pid }) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function memory({ pid }) {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1000;
}

/** Resolves once the process and its children have done nothing for three seconds. */
async function settled(child) {
  for (let quiet = 0, last = -1; quiet < 3; ) {
    await sleep(1000);
    const now = ticks(child);
    const helped = fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8') !== '';
    quiet = helped || now !== last ? 0 : quiet + 1;
    last = now;
  }
}
