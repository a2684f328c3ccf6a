import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Watch, watchFolder } from './watch.ts';

let folder: string;
let root: string;
let told: Set<string>;
let roots: number;
let errors: unknown[];
let watch: Watch | undefined;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-watch-'));
  root = path.join(folder, '.claude', 'projects');
  fs.mkdirSync(root, { recursive: true });
  [told, roots, errors] = [new Set(), 0, []];
});

afterEach(async () => {
  await watch?.close();
  watch = undefined;
  fs.rmSync(folder, { recursive: true, force: true });
  expect(errors).toEqual([]);
});

async function start(): Promise<void> {
  watch = await watchFolder(root, (file) => file.endsWith('.jsonl'), {
    file: (file) => void told.add(path.relative(root, file)),
    root: () => void roots++,
    error: (error) => void errors.push(error),
  });
}

const write = (name: string, text = '{}\n') => {
  const file = path.join(root, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, text);
};

const hears = (...names: string[]) => expect.poll(() => [...told].sort()).toEqual(names.sort());

it('reports files that grow or appear below a hidden folder, and no others', async () => {
  write('a/old.jsonl');
  write('a/still.jsonl');
  await start();
  write('a/old.jsonl');
  write('a/new.jsonl');
  write('a/notes.txt');
  await hears('a/old.jsonl', 'a/new.jsonl');
});

it('misses nothing in folders that are created, filled and moved in at once', async () => {
  await start();
  for (let i = 0; i < 50; i++) write(`made-${i}/deep/er/s.jsonl`);
  const elsewhere = path.join(folder, 'elsewhere');
  fs.mkdirSync(path.join(elsewhere, 'inner'), { recursive: true });
  fs.writeFileSync(path.join(elsewhere, 'inner', 's.jsonl'), '{}\n');
  fs.renameSync(elsewhere, path.join(root, 'moved'));
  await hears('moved/inner/s.jsonl', ...Array.from({ length: 50 }, (_, i) => `made-${i}/deep/er/s.jsonl`));
});

it('continues with a folder that was removed and created again', async () => {
  write('a/b/s.jsonl');
  await start();
  fs.rmSync(path.join(root, 'a'), { recursive: true });
  write('a/b/t.jsonl');
  await hears('a/b/t.jsonl');
  told.clear();
  write('a/b/t.jsonl');
  await hears('a/b/t.jsonl');
});

it.each(['projects', ''])('continues when the watched folder goes and comes back (.claude/%s)', async (name) => {
  write('a/s.jsonl');
  await start();
  fs.rmSync(path.join(folder, '.claude', name), { recursive: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  write('a/t.jsonl');
  await expect.poll(() => roots).toBe(1);
  told.clear();
  write('a/u.jsonl');
  await expect.poll(() => [...told]).toContain('a/u.jsonl');
});

it('asks for a scan when the watched folder is removed and recreated at once', async () => {
  write('a/s.jsonl');
  await start();
  fs.rmSync(root, { recursive: true });
  write('a/t.jsonl');
  await expect.poll(() => roots).toBe(1);
  write('a/u.jsonl');
  await expect.poll(() => [...told]).toContain('a/u.jsonl');
});

it('goes on with other work while a program changes a folder without end', async () => {
  write('a/s.jsonl');
  await start();
  const flood = spawn(process.execPath, [
    '-e',
    `const fs = require('fs');
     const [one, two] = [${JSON.stringify(path.join(root, 'a', 'x'))}, ${JSON.stringify(path.join(root, 'a', 'y'))}];
     process.stdout.write('on');
     for (const end = Date.now() + 60_000; Date.now() < end; )
       for (const at of [one, two]) { fs.mkdirSync(at); fs.rmdirSync(at); }`,
  ]);
  try {
    await once(flood.stdout, 'data');
    // Each turn of the event loop would wait for the end of the flood.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(flood.exitCode).toBeNull();
  } finally {
    flood.kill('SIGKILL');
  }
  const before = roots;
  write('a/t.jsonl');
  // Told of by the watch, or found by the scan that it asks for after a rest.
  await expect.poll(() => told.has('a/t.jsonl') || roots > before, { timeout: 20_000 }).toBe(true);
});

it('waits for a folder that does not exist yet', async () => {
  fs.rmSync(path.join(folder, '.claude'), { recursive: true });
  await start();
  write('a/s.jsonl');
  await expect.poll(() => roots).toBe(1);
});

it('follows links to files and folders, except links that lead back', async () => {
  const real = path.join(folder, 'real');
  fs.mkdirSync(real);
  fs.writeFileSync(path.join(real, 's.jsonl'), '{}\n');
  fs.symlinkSync(real, path.join(root, 'linked'));
  fs.symlinkSync(path.join(real, 's.jsonl'), path.join(root, 'one.jsonl'));
  fs.symlinkSync(root, path.join(root, 'loop'));
  await start();
  fs.appendFileSync(path.join(real, 's.jsonl'), '{}\n');
  await hears('linked/s.jsonl', 'one.jsonl');
});

it('reports nothing more once it is closed', async () => {
  write('a/s.jsonl');
  await start();
  await watch?.close();
  write('a/s.jsonl');
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(told).toEqual(new Set());
});
