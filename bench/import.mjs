// An import of 300 MB until it is searchable by word and by meaning, compared with a bare pass that only reads the same files and parses
// every line.
import fs from 'node:fs';
import path from 'node:path';
import { ingest, openHoldfast, search } from '../dist/index.js';
import { filesBelow, realTranscripts, scratchFolder } from './corpus.mjs';
import { program, quantile, runNode, show, timed } from './figures.mjs';

const rounds = 5;
const folder = scratchFolder();
const env = (home) => ({
  HOLDFAST_HOME: path.join(folder, home),
  CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
  HOME: folder,
});
const projects = path.join(folder, 'claude', 'projects');
const { bytes } = realTranscripts(projects, 300);
const files = filesBelow(projects);

function barePass() {
  for (const file of files) {
    for (const line of fs.readFileSync(file, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
  }
}

/** In a separate process, like the command, so that the garbage collector starts the same. */
const bareCommand = `
  import fs from 'node:fs';
  const [, list] = process.argv;
  for (const file of JSON.parse(fs.readFileSync(list, 'utf8')))
    for (const line of fs.readFileSync(file, 'utf8').split('\\n')) if (line !== '') JSON.parse(line);`;
const list = path.join(folder, 'files.json');
fs.writeFileSync(list, JSON.stringify(files));

const times = { bare: [], inside: [], bareCommand: [], command: [], rescan: [], idleCommand: [] };
let peak = 0;
let report;
let home;
// The first round finds cold caches for both, and does not count.
for (let round = 0; round <= rounds; round++) {
  home = `home-${round}`;
  fs.rmSync(path.join(folder, `home-${round - 1}`), { recursive: true, force: true });
  const sample = {};
  globalThis.gc?.();
  sample.bare = await timed(barePass);
  globalThis.gc?.();
  const holdfast = await openHoldfast(env(`${home}-inside`));
  sample.inside = await timed(async () => {
    await ingest(holdfast.context, {});
    await search(holdfast, { query: 'error', kind: 'entry', limit: 1 });
  });
  await holdfast.close();
  fs.rmSync(path.join(folder, `${home}-inside`), { recursive: true });

  const bare = await runNode(['--input-type=module', '-e', bareCommand, list]);
  const run = await runNode([program, 'ingest', '--json'], env(home));
  sample.bareCommand = bare.ms;
  sample.command = run.ms;
  report = JSON.parse(run.out);
  peak = Math.max(peak, run.peak);

  const again = await openHoldfast(env(home));
  sample.rescan = await timed(() => ingest(again.context, {}));
  await again.close();
  sample.idleCommand = (await runNode([program, 'ingest', '--json'], env(home))).ms;
  if (round > 0) for (const [name, ms] of Object.entries(sample)) times[name].push(ms);
}

const best = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, Math.min(...all)]));
const ratios = times.command.map((ms, i) => ms / times.bareCommand[i]);
const insideRatios = times.inside.map((ms, i) => ms / times.bare[i]);
const s = (ms) => `${(ms / 1000).toFixed(2)} s`;
console.log(
  `  ${files.length} files, ${(bytes / 1e6).toFixed(0)} MB, ${report.entries.added} entries; best of ${rounds} rounds`,
);
show([
  [
    'import as a command, times the bare pass',
    best.command / best.bareCommand,
    '',
    3,
    `${s(best.command)} / ${s(best.bareCommand)}`,
  ],
  ['  the median of the rounds', quantile(ratios, 0.5), ''],
  ['import in-process, times the bare pass', best.inside / best.bare, '', 3, `${s(best.inside)} / ${s(best.bare)}`],
  ['  the median of the rounds', quantile(insideRatios, 0.5), ''],
  ['largest memory of the command', peak, 'MB', 300],
  ['scan with nothing new, for each file', best.rescan / files.length, 'ms', 1, `${best.rescan.toFixed(0)} ms in all`],
  [
    '  as a command, start included',
    best.idleCommand / files.length,
    'ms',
    1,
    `${best.idleCommand.toFixed(0)} ms in all`,
  ],
  [
    'entries in a second',
    report.entries.added / (best.command / 1000),
    '',
    undefined,
    `${(bytes / 1e3 / best.command).toFixed(0)} MB/s`,
  ],
]);
