import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from './make-folder.ts';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'holdfast-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it('creates missing folders below the data folder, closed to other users', () => {
  const home = folder();
  for (let time = 0; time < 2; time++) makeFolder(home, path.join(home, 'a', 'b'));
  expect(statSync(path.join(home, 'a', 'b')).mode & 0o777).toBe(0o700);
});

it('never creates the data folder itself', () => {
  const home = path.join(folder(), 'removed');
  expect(() => makeFolder(home, path.join(home, 'a', 'b'))).toThrow(/ENOENT/);
  expect(existsSync(home)).toBe(false);
});

it('creates a folder outside of the data folder whole', () => {
  const at = folder();
  makeFolder(path.join(at, 'removed'), path.join(at, 'elsewhere', 'deep'));
  expect(existsSync(path.join(at, 'elsewhere', 'deep'))).toBe(true);
});
