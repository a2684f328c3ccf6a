import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { because } from '../../test/because.ts';
import { noSwap, raceSeconds, swapping } from '../../test/swapping.ts';
import { beneath, openBeneath, openFileIn, readFileIn, removeTreeIn, writeNewIn } from './beneath.ts';

let folder: string;
let root: string;
let elsewhere: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-beneath-'));
  [root, elsewhere] = [path.join(folder, 'root'), path.join(folder, 'elsewhere')];
  for (const each of [path.join(root, 'a/b'), elsewhere]) fs.mkdirSync(each, { recursive: true });
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const inside = (steps: string) => path.join(root, steps);

it('writes, reads and removes below a root, and makes what is missing on the way', () => {
  beneath(
    root,
    inside('a/new/deep'),
    (at) => {
      writeNewIn(at, 'file', 'text');
      expect(readFileIn(at, 'file').toString()).toBe('text');
      expect(readFileIn(at, 'file', 2).toString()).toBe('te');
      expect(() => writeNewIn(at, 'file', 'other')).toThrow(/EEXIST/);
      expect(at.list()).toEqual(['file']);
    },
    { make: true },
  );
  expect(fs.readFileSync(inside('a/new/deep/file'), 'utf8')).toBe('text');
});

it('refuses a link at each step, even to a folder inside, and anything that is not a folder', () => {
  fs.symlinkSync(elsewhere, inside('a/out'));
  fs.symlinkSync(inside('a/b'), inside('a/in'));
  fs.writeFileSync(inside('a/file'), '');
  for (const steps of ['a/out', 'a/in', 'a/out/x', 'a/file', 'a/file/x'])
    for (const make of [false, true])
      expect(() => openBeneath(root, inside(steps), { make }), steps).toThrow(/is a link or not a folder/);
  expect(fs.readdirSync(elsewhere)).toEqual([]);
  expect(() => openBeneath(root, path.join(root, '..', 'elsewhere'))).toThrow(/is not a name/);
});

it('reads no link and waits at no pipe', () => {
  fs.writeFileSync(path.join(elsewhere, 'secret'), 'secret');
  fs.symlinkSync(path.join(elsewhere, 'secret'), inside('a/link'));
  spawnSync('mkfifo', [inside('a/pipe')]);
  beneath(root, inside('a'), (at) => {
    for (const name of ['link', 'pipe', 'b']) expect(() => openFileIn(at, name), name).toThrow(/is not a plain file/);
    expect(() => openFileIn(at, 'none')).toThrow(/ENOENT/);
  });
});

it('removes a tree of any depth without following its links', () => {
  fs.writeFileSync(path.join(elsewhere, 'kept'), '');
  let deep = 'a/b';
  for (let i = 0; i < 300; i++) deep += '/d';
  fs.mkdirSync(inside(deep), { recursive: true });
  fs.symlinkSync(elsewhere, inside(`${deep}/link`));
  fs.symlinkSync(elsewhere, inside('a/b/link'));
  beneath(root, inside('a'), (at) => removeTreeIn(at, 'b'));
  expect(fs.readdirSync(inside('a'))).toEqual([]);
  expect(fs.readdirSync(elsewhere)).toEqual(['kept']);
});

describe.skipIf(noSwap)(
  because('while the folder is exchanged with a link', noSwap),
  { timeout: 1000 * (raceSeconds + 60) },
  () => {
    it('nothing is written, read or removed where the link leads', async () => {
      fs.writeFileSync(path.join(elsewhere, 'secret'), 'secret');
      fs.symlinkSync(elsewhere, inside('a/link'));
      const race = await swapping(inside('a/b'), inside('a/link'));
      const outcomes = { written: 0, refused: 0 };
      const until = performance.now() + raceSeconds * 1000;
      for (let i = 0; performance.now() < until; i++) {
        try {
          beneath(root, inside('a/b'), (at) => {
            writeNewIn(at, `draft-${i}`, 'chosen by the agent');
            fs.renameSync(at.at(`draft-${i}`), at.at(`file-${i}`));
            expect(at.list()).not.toContain('secret');
            expect(() => readFileIn(at, 'secret')).toThrow(/ENOENT/);
            removeTreeIn(at, `file-${i}`);
          });
          outcomes.written++;
        } catch (error) {
          expect(String(error)).toMatch(/is a link or not a folder/);
          outcomes.refused++;
        }
        if (i % 50 === 0) await new Promise(setImmediate);
      }
      await race.stop();
      expect(fs.readdirSync(elsewhere)).toEqual(['secret']);
      expect(outcomes.written).toBeGreaterThan(0);
      expect(outcomes.refused).toBeGreaterThan(0);
      expect(race.swaps()).toBeGreaterThan(0);
    });
  },
);
