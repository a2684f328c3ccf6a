// The queue of distilling: how fast it empties, what a model would cost for it, and whether it slows down a search.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { realTranscripts, scratchFolder } from './corpus.mjs';
import { program, quantile, runNode, show } from './figures.mjs';

const folder = scratchFolder();
const port = 42_710;
const env = {
  HOME: folder,
  HOLDFAST_HOME: path.join(folder, 'data'),
  HOLDFAST_PORT: String(port),
  HOLDFAST_DISTILL_AUTO: 'false',
  CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
};
// As the worker runs it: a process of low priority.
const low = path.join(folder, 'low.mjs');
fs.writeFileSync(
  low,
  `import os from 'node:os'; os.setPriority(os.constants.priority.PRIORITY_LOW); await import(${JSON.stringify(program)});`,
);
const { bytes } = realTranscripts(path.join(folder, 'claude', 'projects'), 120);
await runNode([program, 'ingest'], env);

// No model is called: the bench builds and counts the requests, for each session once and for every agent.
const originals = path.join(folder, 'claude', 'projects-originals', 'real-transcripts');
const once = {
  ...env,
  HOLDFAST_HOME: path.join(folder, 'once'),
  ...(fs.existsSync(originals)
    ? {
        HOLDFAST_AGENTS_CLAUDE_CODE_WATCH_PATH: path.join(originals, 'claude-code', 'projects'),
        HOLDFAST_AGENTS_PI_WATCH_PATH: path.join(originals, 'pi'),
      }
    : {}),
  HOLDFAST_DISTILL_MODEL: 'anthropic',
  HOLDFAST_DISTILL_KEY: 'none',
};
// Some of the files are empty, which ingest reports in its exit code.
await runNode([program, 'ingest'], once).catch(() => undefined);
const { cost } = JSON.parse((await runNode([program, 'process', '--all', '--dry-run', '--json'], once)).out);

const worker = spawn(process.execPath, [program, 'worker', 'run'], {
  env: { ...process.env, ...env },
  stdio: 'ignore',
});
try {
  await until(async () => (await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined))?.ok);
  const token = fs.readFileSync(path.join(env.HOLDFAST_HOME, 'token'), 'utf8').trim();
  // Wait until the scan at the start is over.
  await sleep(3000);
  const words = ['failing test', 'retry', 'migration', 'release notes', 'theme', 'parse error', 'permission', 'cache'];
  let n = 0;
  const search = async () => {
    const began = performance.now();
    const url = `http://127.0.0.1:${port}/api/search?q=${encodeURIComponent(words[n++ % words.length])}`;
    await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text();
    const took = performance.now() - began;
    await sleep(20);
    return took;
  };
  const idle = [];
  for (let i = 0; i < 200; i++) idle.push(await search());
  const busy = [];
  let report;
  const running = runNode([low, 'process', '--all', '--json'], env).then((ended) => {
    report = { ...JSON.parse(ended.out), ms: ended.ms, peak: ended.peak };
  });
  while (report === undefined) busy.push(await search());
  await running;
  const { observe, summarize, remember } = report.done;
  console.log(
    `  ${(bytes / 1e6).toFixed(0)} MB of real sessions: ${observe} turns, ${summarize} sessions, ${remember} conversations`,
  );
  show([
    [
      'a turn, with its share of summaries and memory pages',
      report.ms / observe,
      'ms',
      5,
      `${((1000 * observe) / report.ms).toFixed(0)} turns/s`,
    ],
    [
      'a search while nothing happens, p95',
      quantile(idle.slice(20), 0.95),
      'ms',
      undefined,
      `p50 ${quantile(idle.slice(20), 0.5).toFixed(1)} ms`,
    ],
    [
      'a search while all is distilled, p95',
      quantile(busy, 0.95),
      'ms',
      2 * quantile(idle.slice(20), 0.95),
      `${busy.length} searches`,
    ],
    ['largest memory of the process', report.peak, 'MB'],
    [
      'tokens of a model, as a share of one call for each tool use',
      cost.tokens / cost.insteadOf,
      '',
      0.2,
      `${cost.tokens.toLocaleString('en')} of ${cost.insteadOf.toLocaleString('en')}, ${cost.calls} calls`,
    ],
  ]);
} finally {
  worker.kill();
  await new Promise((end) => worker.once('exit', end));
}

async function until(holds) {
  const giveUp = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > giveUp) throw new Error('the worker did not come up');
    await sleep(50);
  }
}
