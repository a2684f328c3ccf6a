// Folders that cannot be written, seen by an ordinary user: root, as which CI runs, may write anywhere.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { type Place, place, program } from './holdfast.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** As the person who runs the tests, or as nobody where that is root. */
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

/** A checkout below a folder that is closed to others cannot be run by them. */
const anywhere = { env: { PATH: process.env.PATH, HOME: '/', HOLDFAST_HOME: '/nowhere' } } as unknown as Place;
const cannotRun =
  process.env.CI || run(anywhere, '--version').status === 0
    ? undefined
    : 'another user cannot run the program of this checkout';

describe.skipIf(cannotRun)(because('a folder that cannot be written', cannotRun), () => {
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

  it('of memory pages: says so, keeps what was to be written, and writes it later', () => {
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
