// An import for each agent that writes line files, compared with a bare pass that only reads the same files and parses every line. Codex:
// real sessions if available. The others: their fixtures, repeated within each file until it has the size of a real session.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow, scratchFolder } from './corpus.mjs';
import { program, runNode, show } from './figures.mjs';

const rounds = 2;
const megabytes = 40;
const fileBytes = 1e6;
const sources = fileURLToPath(new URL('../src/agents', import.meta.url));
const real = fileURLToPath(new URL('../../shared/agents/real/codex-sessions.tar.gz', import.meta.url));
const folder = scratchFolder();

const uuid = /\b([0-9a-f]{8})(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;
/** The same text with other ids, except those that stay. */
const renamed = (text, number, stay) =>
  text.replace(uuid, (id, head, tail) =>
    stay.has(id)
      ? id
      : `${((Number.parseInt(head, 16) ^ Math.imul(number, 0x9e3779b1)) >>> 0).toString(16).padStart(8, '0')}${tail}`,
  );

/** Fills `target` with files of the agent. Returns their number and bytes. */
function fill(agent, target) {
  const originals = path.join(folder, `${agent}-originals`);
  if (agent === 'codex' && fs.existsSync(real)) {
    fs.mkdirSync(originals, { recursive: true });
    execFileSync('tar', ['xzf', real, '-C', originals]);
  } else fs.cpSync(path.join(sources, agent, 'fixtures'), originals, { recursive: true });
  const files = filesBelow(originals).filter((file) => !file.includes('/injected/') && fs.statSync(file).size > 4000);
  let bytes = 0;
  for (let number = 1; bytes < megabytes * 1e6; number++)
    for (const file of files) {
      const [first, ...lines] = fs.readFileSync(file, 'utf8').trim().split('\n');
      const head = renamed(first, number, new Set());
      const own = new Set([...head.matchAll(uuid)].map(([id]) => id));
      const body = renamed(lines.join('\n'), number, new Set());
      const parts = [head, body];
      for (let size = body.length, part = 1; size < fileBytes; size += body.length, part++)
        parts.push(renamed(body, number * 1000 + part, own));
      const text = `${parts.join('\n')}\n`;
      const key = renamed(path.relative(originals, file), number, new Set()).replace(
        /(\.jsonl)$/,
        agent === 'copilot' ? '$1' : `-${number}$1`,
      );
      const name = agent === 'codex' ? `sessions/rollout-2026-01-01T00-00-00-${path.basename(key)}` : key;
      fs.mkdirSync(path.dirname(path.join(target, name)), { recursive: true });
      fs.writeFileSync(path.join(target, name), text);
      bytes += text.length;
      if (bytes >= megabytes * 1e6) break;
    }
  return { files: filesBelow(target), bytes };
}

const bareCommand = `
  import fs from 'node:fs';
  const [, list] = process.argv;
  for (const file of JSON.parse(fs.readFileSync(list, 'utf8')))
    for (const line of fs.readFileSync(file, 'utf8').split('\\n')) if (line !== '') JSON.parse(line);`;

for (const agent of ['codex', 'copilot', 'gemini', 'qwen', 'droid']) {
  const watched = path.join(folder, agent);
  const { files, bytes } = fill(agent, watched);
  const list = path.join(folder, `${agent}.json`);
  fs.writeFileSync(list, JSON.stringify(files));
  const ratios = [];
  let report;
  for (let round = 0; round <= rounds; round++) {
    const home = path.join(folder, `home-${agent}-${round}`);
    const bare = await runNode(['--input-type=module', '-e', bareCommand, list]);
    const run = await runNode([program, 'ingest', '--json'], {
      HOME: folder,
      HOLDFAST_HOME: home,
      [`HOLDFAST_AGENTS_${agent.toUpperCase()}_WATCH_PATH`]: watched,
    });
    report = JSON.parse(run.out);
    fs.rmSync(home, { recursive: true, force: true });
    // The first round finds cold caches and does not count.
    if (round > 0) ratios.push({ ratio: run.ms / bare.ms, ms: run.ms, bare: bare.ms, cpu: run.cpu / bare.cpu });
  }
  const best = ratios.reduce((a, b) => (b.ratio < a.ratio ? b : a));
  console.log(
    `  ${agent}: ${files.length} files, ${(bytes / 1e6).toFixed(0)} MB, ${report.entries.added} entries; ${(best.ms / 1000).toFixed(2)} s, bare ${(best.bare / 1000).toFixed(2)} s`,
  );
  show([
    [`import of ${agent}, times the bare pass`, best.ratio, '', 3],
    ['the same in processor time of all threads', Math.min(...ratios.map(({ cpu }) => cpu)), ''],
  ]);
  fs.rmSync(watched, { recursive: true });
}
