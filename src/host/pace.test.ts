import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { coalesced } from './coalesced.ts';
import { diskQuota, diskUse } from './disk.ts';
import { floodDetector, openPace } from './pace.ts';

it('a pace lets a burst through at once, and then only what has been refilled', () => {
  let now = 0;
  const pace = openPace({ burst: 3, perSecond: 2 }, () => now);
  expect([1, 2, 3].map(() => pace.take(1))).toEqual([undefined, undefined, undefined]);
  expect(pace.take(1)).toBeInstanceOf(Promise);
  now = 10_000;
  expect([1, 2, 3].map(() => pace.take(1))).toEqual([undefined, undefined, undefined]);
  expect(pace.take(1)).toBeInstanceOf(Promise);
});

it('a flood is more than so many within a window', () => {
  let now = 0;
  const isFlood = floodDetector(3, 1000, () => now);
  expect([1, 2, 3].map(isFlood)).toEqual([false, false, false]);
  now = 2000;
  expect([1, 2, 3, 4].map(isFlood)).toEqual([false, false, false, true]);
});

describe('work that many callers request', () => {
  it('is done once for all callers while it rests or runs, and for each key separately', async () => {
    const begun: string[] = [];
    const ask = coalesced(async (key) => {
      begun.push(key);
      await new Promise(setImmediate);
    }, 1);
    await Promise.all(Array.from({ length: 100 }, () => ask('a')));
    await ask('b');
    expect(begun).toEqual(['a', 'b']);
    const first = ask('a');
    await first;
    expect(begun).toEqual(['a', 'b', 'a']);
  });

  it('begins after each request: it sees what was there then', async () => {
    let seen = 0;
    let written = 0;
    const ask = coalesced(async () => {
      await new Promise(setImmediate);
      seen = written;
    }, 1);
    const before = ask('a');
    await Promise.resolve();
    await Promise.resolve();
    written = 1;
    await ask('a');
    await before;
    expect(seen).toBe(1);
  });

  it('fails for the callers that waited for it, and is tried again for the next', async () => {
    let fails = true;
    const ask = coalesced(async () => {
      if (fails) throw new Error('no');
    }, 1);
    await expect(ask('a')).rejects.toThrow('no');
    fails = false;
    await expect(ask('a')).resolves.toBeUndefined();
  });
});

describe('the disk space of folders', () => {
  const folder = () => {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-disk-'));
    onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }));
    return made;
  };

  it('is what their files take, without the targets of links', async () => {
    const [own, other] = [folder(), folder()];
    fs.mkdirSync(path.join(own, 'deep/er'), { recursive: true });
    fs.writeFileSync(path.join(own, 'deep/er/file'), Buffer.alloc(300_000, 1));
    fs.writeFileSync(path.join(other, 'large'), Buffer.alloc(3_000_000, 1));
    fs.symlinkSync(other, path.join(own, 'link'));
    const { bytes, over } = await diskUse([own], 2_000_000);
    expect(bytes).toBeGreaterThanOrEqual(300_000);
    expect(over).toBe(false);
    expect(await diskUse([own, other], 2_000_000)).toMatchObject({ over: true });
    expect(await diskUse([path.join(own, 'none')], 1)).toEqual({ bytes: 0, over: false });
  });

  it('beyond the quota is refused with what to do, and reported once while an agent runs', async () => {
    const own = folder();
    const quota = diskQuota('alpha', [own], 1);
    await quota.check();
    fs.writeFileSync(path.join(own, 'large'), Buffer.alloc(3_000_000, 1));
    await expect(quota.check()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'the folders of alpha hold more than the 1 MB that host.diskMb allows',
    });
    await diskQuota('alpha', [own], 0).check();
  });
});
