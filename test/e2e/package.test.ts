// What is published, and that it works as published. Needs a build.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const holdfast = path.join(root, 'bin/holdfast');
const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: folder, encoding: 'utf8' });

it('holds the program, the build and the sample, and no sources or tests', () => {
  // Without its scripts: they would rebuild while other tests use the build.
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const said = execFileSync('npm', args, { cwd: root, encoding: 'utf8' });
  const [pack] = JSON.parse(said) as [{ files: { path: string }[]; unpackedSize: number }];
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
    for (const file of Object.values(target)) expect(existsSync(path.join(root, file)), file).toBe(true);
  const script = "console.log(Object.keys(await import('holdfast')).length)";
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
  expect(Number(said)).toBeGreaterThan(0);
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
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
  expect(said.trim()).toBe('dev-team s1');
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
