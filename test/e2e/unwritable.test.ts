// Folders without write permission, as an ordinary user sees them: root, as which CI runs, may write anywhere.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { type Place, place, program } from './holdfast.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** Runs as the person who runs the tests, or as the user `nobody` if that is root. */
const run = (own: Place, ...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], {
    env: own.env,
    encoding: 'utf8',
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  });

function ownedBy(own: Place): Place {
  mkdirSync(own.home, { recursive: true, mode: 0o700 });
  if (isRoot)
    for (const folder of [own.folder, path.join(own.folder, 'user'), own.home]) chownSync(folder, nobody, nobody);
  return own;
}

/** Other users cannot run a checkout below a folder that is closed to them. */
const anywhere = { env: { PATH: process.env.PATH, HOME: '/', HOLDFAST_HOME: '/nowhere' } } as unknown as Place;
const cannotRun =
  process.env.CI || run(anywhere, '--version').status === 0
    ? undefined
    : 'another user cannot run the program of this checkout';

describe.skipIf(cannotRun)(because('a read-only folder', cannotRun), () => {
  it('of settings: says so, and leaves no draft behind', () => {
    const own = ownedBy(place());
    expect(run(own, 'config', 'set', 'port', '4001').status).toBe(0);
    const before = readdirSync(own.home);
    chmodSync(own.home, 0o500);
    const { status, stderr } = run(own, 'config', 'set', 'port', '4002');
    chmodSync(own.home, 0o700);
    expect(status).toBe(8);
    expect(stderr).toContain('permission denied');
    expect(readdirSync(own.home)).toEqual(before);
  });

  it('of memory pages: says so, keeps the pages in the database, and writes them later', () => {
    const own = ownedBy(place());
    const memory = path.join(own.home, 'memory');
    mkdirSync(memory, { mode: 0o500 });
    if (isRoot) chownSync(memory, nobody, nobody);
    const { status, stderr } = run(own, 'remember', 'Deploys happen on Tuesdays', '--key', 'deploy day');
    expect(status, stderr).toBe(8);
    chmodSync(memory, 0o700);
    expect(run(own, 'memory', 'list').status).toBe(0);
    const pages = readdirSync(memory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    expect(pages).toEqual(['core/facts.md']);
  });
});
