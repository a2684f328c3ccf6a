// A worker with many entries, asked over HTTP: how long an answer takes after everything is loaded, and how much memory the worker holds.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { longMemEval, scratchFolder } from './corpus.mjs';
import { program, quantile, runNode, show, timed } from './figures.mjs';

const rounds = 3;

/** `goals`: the maximum of p50, p95, memory and a cold command, where there is one. */
export async function askWorker({ entries, port, goals, settings = {} }) {
  const folder = scratchFolder();
  const env = {
    ...settings,
    // Distilling a year and copying its transcripts takes minutes beside the first searches. Other benches measure that.
    HOLDFAST_DISTILL_AUTO: 'false',
    HOLDFAST_VAULT: 'false',
    HOLDFAST_HOME: path.join(folder, 'home'),
    HOLDFAST_PORT: String(port),
    CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
    HOME: folder,
  };
  const corpus = longMemEval(path.join(folder, 'claude', 'projects'), entries, { distinct: true });
  const imported = await runNode([program, 'ingest', '--json'], env);
  const size = fs.statSync(path.join(folder, 'home', 'holdfast.db')).size / 1e6;
  console.log(
    `  ${corpus.lines} entries (${(corpus.bytes / 1e6).toFixed(0)} MB) imported in ${(imported.ms / 1000).toFixed(0)} s, peak ${imported.peak.toFixed(0)} MB; database ${size.toFixed(0)} MB`,
  );
  const worker = spawn(process.execPath, [program, 'worker', 'run'], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const gone = new Promise((end) => worker.once('exit', end));
  const kinds = { entries: {}, sessions: { kind: 'session' } };
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const spent = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0]));
  let first;
  let held;
  try {
    await until(async () => (await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined))?.ok);
    const token = fs.readFileSync(path.join(folder, 'home', 'token'), 'utf8').trim();
    const ask = async (question, fields) => {
      const { hits } = await get(port, token, new URLSearchParams({ query: question, ...fields }));
      if (!Array.isArray(hits)) throw new Error(`no hits for ${question}`);
    };
    first = await timed(() => ask(corpus.questions[0].question, {}));
    // The first round warms up. In the others every single answer counts.
    for (let round = 0; round <= rounds; round++)
      for (const [kind, fields] of Object.entries(kinds)) {
        const before = cpuOf(worker.pid);
        for (const { question } of corpus.questions) {
          const ms = await timed(() => ask(question, fields));
          if (round > 0) times[kind].push(ms);
        }
        if (round > 0) spent[kind] += cpuOf(worker.pid) - before;
      }
    held = memoryOf(worker.pid);
  } finally {
    worker.kill();
    await gone;
  }
  const cold = [];
  for (const { question } of corpus.questions.slice(0, 10))
    cold.push((await runNode([program, 'search', '--json', question], env)).ms);
  const { p50, p95, memory } = goals;
  show([
    ...Object.entries(times).flatMap(([kind, all]) => [
      [
        `${kind}, p50 of ${all.length}`,
        quantile(all, 0.5),
        'ms',
        p50,
        `${(spent[kind] / all.length).toFixed(1)} ms of processor time`,
      ],
      [`${kind}, p95`, quantile(all, 0.95), 'ms', p95],
    ]),
    ['the first answer after a start', first, 'ms'],
    ['memory of the worker', held, 'MB', memory],
    ['`holdfast search` without a worker, p50', quantile(cold, 0.5), 'ms', goals.cold],
    [`\`holdfast search\` without a worker, largest of ${cold.length}`, Math.max(...cold), 'ms', goals.cold],
  ]);
}

const agent = new http.Agent({ keepAlive: true });

/** As light as possible, so that the client does not distort the measurement. */
function get(port, token, query) {
  const options = { host: '127.0.0.1', port, path: `/api/search?${query}`, agent };
  return new Promise((resolve, reject) => {
    const request = http.get({ ...options, headers: { authorization: `Bearer ${token}` } }, async (answer) => {
      const parts = [];
      for await (const part of answer) parts.push(part);
      resolve(JSON.parse(Buffer.concat(parts).toString()));
    });
    request.once('error', reject);
  });
}

async function until(holds) {
  for (const began = performance.now(); performance.now() - began < 120_000; await sleep(50)) if (await holds()) return;
  throw new Error('the worker does not answer');
}

/** CPU time so far in milliseconds. On a busy machine it says more than wall time. */
const cpuOf = (pid) => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
};

/** In MB; only Linux reports it. */
const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1000;
