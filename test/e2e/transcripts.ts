// Transcripts to import: real ones if available, else the sample, repeated under other ids until it is as large.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isLong } from '../rounds.ts';
import { root } from './holdfast.ts';

const real = path.join(root, '../shared/bench/real-transcripts.tar.gz');

/** Writes transcripts of Claude Code and Pi, together more than 8 MB, below a folder. */
export function writeTranscripts(folder: string): { claude: string; pi: string } {
  if (existsSync(real)) {
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['xzf', real, '-C', folder]);
    const at = path.join(folder, 'real-transcripts');
    return { claude: path.join(at, 'claude-code/projects'), pi: path.join(at, 'pi') };
  }
  const [claude, pi] = [path.join(folder, 'claude'), path.join(folder, 'pi')];
  for (let copy = 0; copy < 100; copy++) repeat(path.join(root, 'demo/claude-code/projects'), claude, copy);
  cpSync(path.join(root, 'demo/pi/sessions'), pi, { recursive: true });
  return { claude, pi };
}

/** Real transcripts above this are half of all bytes. */
const large = 1_100_000;

/** The same for tests that import again and again: without large ones, except in the long tests. Still more than 8 MB. */
export function writeSmallTranscripts(folder: string): { claude: string; pi: string } {
  const written = writeTranscripts(folder);
  if (!isLong)
    for (const file of Object.values(written).flatMap(filesBelow)) if (statSync(file).size > large) rmSync(file);
  return written;
}

/** Copies a tree and changes every id in the same way, so that no copy shares an entry with another. */
function repeat(from: string, to: string, copy: number): void {
  const mark = copy.toString(16).padStart(4, '0');
  const renamed = (text: string) =>
    text
      .replace(/\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8})[0-9a-f]{4}\b/g, `$1${mark}`)
      .replace(/\btoolu_\w+/g, `$&${mark}`);
  for (const file of filesBelow(from)) {
    const target = path.join(to, renamed(path.relative(from, file)));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, renamed(readFileSync(file, 'utf8')));
  }
}

export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .sort();

/** The largest transcripts of a folder that do not exceed the limit. */
export const largest = (folder: string, count: number, limit: number): string[] =>
  filesBelow(folder)
    .filter((file) => file.endsWith('.jsonl') && statSync(file).size <= limit)
    .sort((a, b) => statSync(b).size - statSync(a).size)
    .slice(0, count);
