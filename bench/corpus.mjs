// The data of the benches: transcripts in separate folders, repeated with distinct ids until there are enough.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const shared = fileURLToPath(new URL('../../shared/bench', import.meta.url));
const demo = fileURLToPath(new URL('../demo/claude-code/projects', import.meta.url));

/** A folder that is deleted when the process ends. */
export function scratchFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-'));
  // A worker that was told to stop may still write its last file.
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }));
  return folder;
}

export function filesBelow(folder, ending = '.jsonl') {
  return fs
    .readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith(ending) && fs.statSync(file).isFile())
    .sort();
}

/** Writes `megabytes` of real Claude Code sessions below `target`, or of this repository's sample if there are none. */
export function realTranscripts(target, megabytes) {
  const archive = path.join(shared, 'real-transcripts.tar.gz');
  let source = demo;
  if (fs.existsSync(archive)) {
    const folder = `${target}-originals`;
    fs.mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['xzf', archive, '-C', folder]);
    source = path.join(folder, 'real-transcripts', 'claude-code');
  } else console.log(`${archive} is not there: the sample in demo/ is repeated instead, and figures do not compare`);
  return repeat(source, target, ({ bytes }) => bytes >= megabytes * 1e6);
}

/** Unpacks an archive of real coding sessions below `target`. Returns the folder of Claude Code in it. */
export function codingArchive(name, target) {
  fs.mkdirSync(target, { recursive: true });
  execFileSync('tar', ['xzf', path.join(shared, `${name}.tar.gz`), '-C', target]);
  const folder = path.join(target, name);
  return fs.existsSync(path.join(folder, 'claude-code')) ? path.join(folder, 'claude-code') : folder;
}

/** Unpacks real sessions of Codex below `target`, under the names that Codex gives them. Returns Codex's folder. */
export function codexArchive(archive, target) {
  const home = path.join(target, 'codex');
  const folder = path.join(home, 'sessions', '2026', '01', '01');
  fs.mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['xzf', archive, '-C', target]);
  for (const file of filesBelow(path.join(target, 'codex-sessions')))
    fs.renameSync(file, path.join(folder, `rollout-2026-01-01T00-00-00-${path.basename(file)}`));
  return home;
}

/**
 * LongMemEval as transcripts, `lines` of them, and its questions; without it, the sample and its prompts. `distinct`: each repetition has
 * different words.
 */
export function longMemEval(target, lines, { distinct = false } = {}) {
  const data = path.join(shared, 'longmemeval-dev.jsonl.gz');
  const enough = (written) => written.lines >= lines;
  if (!fs.existsSync(data)) {
    console.log(`${data} is not there: the sample in demo/ is repeated instead, and figures do not compare`);
    const words = ['flaky test', 'rate limit', 'who retries a failed delivery', 'migration', 'session token'];
    const questions = words.map((question) => ({ question, project: 'courier' }));
    return { ...repeat(demo, target, enough, distinct), questions };
  }
  const folder = `${target}-originals`;
  const make = path.join(shared, 'make-transcripts.mjs');
  execFileSync(process.execPath, [make, 'longmemeval', data, folder]);
  const questions = JSON.parse(fs.readFileSync(path.join(folder, 'gold.json'), 'utf8'));
  return { ...repeat(path.join(folder, 'projects'), target, enough, distinct), questions };
}

/** Writes `source` repeatedly below `target`, with every id changed, until it is enough. The last round may be partial. */
function repeat(source, target, enough, distinct = false) {
  const originals = filesBelow(source).map((file) => [path.relative(source, file), fs.readFileSync(file, 'utf8')]);
  const written = { files: 0, bytes: 0, lines: 0 };
  for (let round = 0; ; round++) {
    const renamed = (text) =>
      text
        .replace(/\b([0-9a-f]{8})(-[0-9a-f]{4}-[0-9a-f]{4}-)/g, (_, first, rest) => {
          const mixed = (Number.parseInt(first, 16) ^ Math.imul(round, 0x9e3779b1)) >>> 0;
          return mixed.toString(16).padStart(8, '0') + rest;
        })
        .replace(/\btoolu_/g, `toolu_${round}x`);
    for (const [name, text] of originals) {
      const file = path.join(target, `round-${round}`, renamed(name));
      fs.mkdirSync(path.dirname(file), { recursive: true });
      const changed = renamed(distinct && round > 0 ? otherWords(text, round) : text);
      fs.writeFileSync(file, changed);
      written.files++;
      written.bytes += Buffer.byteLength(changed);
      written.lines += changed.split('\n').length - 1;
      if (enough(written)) return written;
    }
  }
}

/** Half of the longer words, a different half each time, get an ending that no other repetition has. */
function otherWords(text, round) {
  const ending = [...round.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
  return text.replace(
    /("(?:text|content)":")((?:[^"\\]|\\.)*)/g,
    (_, start, said) =>
      start +
      said.replace(/(?<!\\)\b[a-z]{5,}\b/g, (word) =>
        (word.charCodeAt(1) + word.length + round) % 2 === 0 ? `${word}q${ending}` : word,
      ),
  );
}
