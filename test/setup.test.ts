// Setting up on a bare machine: the packages, the headers that better-sqlite3 is compiled with, and the messages when something is missing.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
// @ts-expect-error a script without types
import { compileEnvironment, headersBeside, missingForCompile } from '../scripts/compile.mjs';
// @ts-expect-error a script without types
import { needsPackages } from '../scripts/setup.mjs';

const setUp = new URL('../scripts/setup.mjs', import.meta.url).href;

function tree(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'bin'));
  writeFileSync(path.join(folder, 'bin', 'node'), '');
  return folder;
}

/** A Node that came with its headers. */
function withHeaders(): string {
  const folder = tree();
  mkdirSync(path.join(folder, 'include', 'node'), { recursive: true });
  writeFileSync(path.join(folder, 'include', 'node', 'node.h'), '');
  return path.join(folder, 'bin', 'node');
}

describe('compiling better-sqlite3', () => {
  it('uses the headers beside the running Node, also through a link, and without any setting of npm', () => {
    const folder = tree();
    const program = path.join(folder, 'bin', 'node');
    expect(headersBeside(program)).toBeUndefined();
    mkdirSync(path.join(folder, 'include', 'node'), { recursive: true });
    writeFileSync(path.join(folder, 'include', 'node', 'node.h'), '');
    expect(headersBeside(program)).toBe(folder);
    const link = path.join(tree(), 'node');
    symlinkSync(program, link);
    expect(headersBeside(link)).toBe(folder);
    expect(compileEnvironment({ PATH: '/bin' }, link)).toEqual({ PATH: '/bin', npm_config_nodedir: folder });
  });

  it("keeps the person's settings, and fetches headers as npm does if there are none", () => {
    const own = { NPM_CONFIG_NODEDIR: '/own' };
    expect(compileEnvironment(own, withHeaders())).toEqual(own);
    expect(compileEnvironment({ PATH: '/bin' }, path.join(tree(), 'bin', 'node'))).toEqual({ PATH: '/bin' });
  });

  it('names what to install', () => {
    const empty = { PATH: path.join(tree(), 'bin') };
    const program = withHeaders();
    for (const name of ['python3', 'make', 'g++']) expect(missingForCompile(empty, program)).toContain(name);
    expect(missingForCompile(empty, program)).not.toContain('headers');
    expect(missingForCompile(empty, path.join(tree(), 'bin', 'node'))).toContain('libnode-dev');
  });
});

describe.skipIf(process.platform !== 'linux')('programs that only tests use', () => {
  const install = (more: NodeJS.ProcessEnv) =>
    spawnSync(
      process.execPath,
      ['-e', `import(${JSON.stringify(setUp)}).then((script) => script.installTestPrograms())`],
      { env: { PATH: path.join(tree(), 'bin'), ...more }, encoding: 'utf8' },
    );
  const names = ['strace', 'bwrap', 'chromium', 'tmux', 'podman'];

  it('are named on a machine without apt, and their tests are skipped', () => {
    const { status, stderr } = install({});
    expect(status, stderr).toBe(0);
    for (const name of names)
      expect(stderr).toMatch(new RegExp(`^${name} is not installed; tests need it .*They will be skipped\\.$`, 'm'));
  });

  it('must be there in CI, where nothing is skipped', () => {
    const { status, stderr } = install({ CI: 'true' });
    expect(status).toBe(1);
    expect(stderr).toContain('strace is not installed');
    expect(stderr).not.toContain('skipped');
  });
});

describe('installing packages', () => {
  it('happens when none are installed, and when the lock file is newer than the installed packages', () => {
    const folder = tree();
    writeFileSync(path.join(folder, 'package-lock.json'), '{}');
    expect(needsPackages(folder)).toBe(true);
    mkdirSync(path.join(folder, 'node_modules'));
    expect(needsPackages(folder)).toBe(true);
    const installed = path.join(folder, 'node_modules', '.package-lock.json');
    writeFileSync(installed, '{}');
    expect(needsPackages(folder)).toBe(false);
    utimesSync(installed, 1, 1);
    expect(needsPackages(folder)).toBe(true);
  });

  it('leaves the packages of another checkout alone if node_modules is a link to them', () => {
    const [folder, other] = [tree(), tree()];
    writeFileSync(path.join(folder, 'package-lock.json'), '{}');
    symlinkSync(other, path.join(folder, 'node_modules'));
    expect(needsPackages(folder)).toBe(false);
  });
});
