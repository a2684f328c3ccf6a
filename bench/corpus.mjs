// Real transcripts, repeated with distinct ids until there are enough of them.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const archive = new URL('../../shared/bench/real-transcripts.tar.gz', import.meta.url).pathname;

/** Unpacks the real transcripts once into `folder` and returns where they are, or undefined where there are none. */
export function realTranscripts(folder) {
  if (!fs.existsSync(archive)) return undefined;
  fs.mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['xzf', archive, '-C', folder]);
  return path.join(folder, 'real-transcripts');
}

export function filesBelow(folder, ending = '.jsonl') {
  return fs
    .readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith(ending) && fs.statSync(file).isFile())
    .sort();
}

/** Writes `source` again and again below `target`, every id changed, until it holds `megabytes`. */
export function repeatTranscripts(source, target, megabytes) {
  const originals = filesBelow(source).map((file) => [path.relative(source, file), fs.readFileSync(file, 'utf8')]);
  let written = 0;
  for (let round = 0; written < megabytes * 1e6; round++) {
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
      const changed = renamed(text);
      fs.writeFileSync(file, changed);
      written += Buffer.byteLength(changed);
    }
  }
  return written;
}
