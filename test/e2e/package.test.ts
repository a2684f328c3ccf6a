// What is published, and that it works as published. Needs a build.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const holdfast = path.join(root, 'bin/holdfast');
const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: folder, encoding: 'utf8' });

/** A program of another person, with the packed tarball among its packages. */
const app = path.join(folder, 'app');
const installed = path.join(app, 'node_modules', 'holdfast');
/** Runs a script there. */
const runThere = (script: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: app, encoding: 'utf8' });

interface Pack {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
}
let pack: Pack;

beforeAll(() => {
  mkdirSync(installed, { recursive: true });
  // Without its scripts: they would rebuild while other tests use the build.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  [pack] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as [Pack];
  run('tar', '-xzf', path.join(folder, pack.filename), '-C', installed, '--strip-components=1');
  // As npm would place them. To compile SQLite again would show nothing about the package.
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(path.dirname(path.join(app, 'node_modules', name)), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), path.join(app, 'node_modules', name));
  }
});

it('holds the program, the build and the sample, and no sources or tests', () => {
  const files = pack.files.map((file) => file.path);
  expect(files).toEqual(expect.arrayContaining(['package.json', 'LICENSE', 'bin/holdfast']));
  expect(files).toEqual(expect.arrayContaining(['dist/library.js', 'dist/index.d.ts', 'dist/holdfast.js']));
  expect(files.some((file) => /^demo\/claude-code\/projects\/.+\.jsonl$/.test(file))).toBe(true);
  expect(files.some((file) => /^demo\/pi\/sessions\/.+\.jsonl$/.test(file))).toBe(true);
  const allowed = /^(bin|dist|demo|docker|models|sandbox)\/|^(package\.json|LICENSE|README\.md|CHANGELOG\.md)$/;
  expect(files.filter((file) => !allowed.test(file) || /\.test\./.test(file))).toEqual([]);
  // An installation may take 70 MB. SQLite with its compiler files takes 28, zod 8 and the rules for secrets 3.
  expect(pack.unpackedSize).toBeLessThan(30e6);
  expect(Object.keys(manifest.dependencies)).toEqual([
    '@secretlint/secretlint-rule-preset-recommend',
    'better-sqlite3',
    'zod',
  ]);
});

it('every export leads to a file and can be imported by name', () => {
  for (const target of Object.values(manifest.exports as Record<string, Record<string, string>>))
    for (const file of Object.values(target)) expect(existsSync(path.join(installed, file)), file).toBe(true);
  expect(runThere("console.log(Object.keys(await import('holdfast')).join(' '))").trim().split(' ')).toEqual([
    ...['HoldfastError', 'briefing', 'createGroup', 'groupDeps', 'ingest', 'openGroup', 'openHoldfast'],
    ...['operations', 'search'],
  ]);
  expect(runThere("console.log(typeof (await import('holdfast/sessions')).SessionManager)").trim()).toBe('function');
});

it('a group can be created and opened with the names that the package exports', () => {
  const script = `
    const { createGroup, groupDeps, openGroup, openHoldfast } = await import('holdfast');
    const holdfast = await openHoldfast({ HOME: ${JSON.stringify(folder)}, HOLDFAST_HOME: ${JSON.stringify(path.join(folder, 'data'))} });
    await createGroup(groupDeps(holdfast.context), 'dev-team');
    const group = await openGroup(groupDeps(holdfast.context), 'dev-team');
    await group.activate('s1');
    console.log(group.name, await group.current());
    await holdfast.close();`;
  expect(runThere(script).trim()).toBe('dev-team s1');
});

it('the program of the package imports its sample and finds something in it', () => {
  const env = { PATH: process.env.PATH, HOME: folder, HOLDFAST_HOME: path.join(folder, 'sample') };
  const there = (...args: string[]) =>
    execFileSync(path.join(installed, 'bin/holdfast'), args, { env, encoding: 'utf8' });
  there('ingest', '--dir', path.join(installed, 'demo'));
  expect(there('search', 'in-memory queue')).toContain('courier');
});

it('the program prints its version, also through a link', () => {
  expect(statSync(holdfast).mode & 0o111).toBe(0o111);
  expect(run(holdfast, '--version').trim()).toBe(manifest.version);
  const link = path.join(folder, 'hf');
  symlinkSync(holdfast, link);
  expect(run(link, '--version').trim()).toBe(manifest.version);
});

it('without a build the program says what to do', () => {
  const bare = path.join(folder, 'bare');
  mkdirSync(path.join(bare, 'bin'), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(bare, 'package.json'));
  cpSync(holdfast, path.join(bare, 'bin/holdfast'));
  const { status, stderr } = spawnSync(path.join(bare, 'bin/holdfast'), ['search', 'x'], { encoding: 'utf8' });
  expect(stderr).toContain('npm run build');
  expect(status).toBe(1);
});
