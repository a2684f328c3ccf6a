// On a machine without root, apt or a program, tests are skipped under names that say why.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { because, without } from './because.ts';

const root = path.join(import.meta.dirname, '..');
const sources = ['src', 'test'].flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name: `${folder}/${name}`, text: fs.readFileSync(path.join(root, folder, name), 'utf8') })),
);
const setUp = fs.readFileSync(path.join(root, 'scripts/setup.mjs'), 'utf8');
const programs = [...setUp.matchAll(/\{ program: '([^']+)'/g)].map(([, program]) => program as string);

it.each(programs)('if %s is missing, the name of a test says so, and in CI the test runs and fails', (program) => {
  const bare = { PATH: '/nowhere' };
  const why = without(program, '--version', bare);
  expect(because('it works', why)).toBe(`it works (skipped: ${program} is not installed)`);
  expect(without(program, '--version', { ...bare, CI: 'true' })).toBeUndefined();
  expect(because('it works', undefined)).toBe('it works');
});

it('every test that needs more than the operating system or stored data has such a name', () => {
  // Conditions that the person at that machine could not change. Container engines name themselves.
  const byNature =
    /process\.(?:platform|getuid)|isLinux|existsSync\((?:archive|file|'\/proc)|proof\.trouble|bringsSdk|canBeNobody/;
  // Tests whose describe block names the missing client.
  const byClient = /^isMissing\(version\)(?: \|\| noTerminal)?$/;
  const silent = sources
    .filter(({ name }) => name.endsWith('.test.ts'))
    .flatMap(({ name, text }) =>
      [...text.matchAll(/\b(?:it|describe)\.skipIf\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)(?!\(\s*because\()/g)]
        .map(([, condition = '']) => condition)
        .filter((condition) => !byNature.test(condition) && !byClient.test(condition))
        .map((condition) => `${name}: ${condition}`),
    );
  expect(programs.length).toBeGreaterThan(5);
  expect(silent).toEqual([]);
});
