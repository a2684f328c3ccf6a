import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../test/host-stand.ts';
import type { LiveWord } from '../../schema/group-message.ts';
import { hangBell, listenToHost, ring } from './bell.ts';

function place(deep = '') {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bell-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const home = path.join(folder, deep);
  fs.mkdirSync(home, { recursive: true });
  return { home };
}

async function hung(at: { home: string }) {
  const heard: string[] = [];
  const bell = await hangBell(at, {
    ring: () => heard.push('ring'),
    close: (group) => heard.push(`close ${group}`),
    log: (line) => heard.push(line),
  });
  onTestFinished(() => bell.close());
  return { bell, heard };
}

describe('the bell of the host', () => {
  it('says whether a host runs; the socket of a dead host does not count', async () => {
    const at = place();
    expect(await ring(at)).toBe(false);
    const { bell, heard } = await hung(at);
    expect(await ring(at)).toBe(true);
    expect(await ring(at, { close: 'tide' })).toBe(true);
    await until(() => heard.length === 3);
    expect(heard).toEqual(['ring', 'close tide', 'ring']);
    await bell.close();
    expect(await ring(at)).toBe(false);
    fs.writeFileSync(path.join(at.home, 'host.sock'), '');
    expect(await ring(at)).toBe(false);
    await hung(at);
    expect(await ring(at)).toBe(true);
  });

  it('tells each listener about its own group only, in order, and when the host has ended', async () => {
    const at = place();
    const { bell } = await hung(at);
    const words: Record<string, LiveWord[]> = { tide: [], reef: [] };
    let gone = 0;
    for (const group of ['tide', 'reef'])
      listenToHost(at, group, { word: (word) => words[group]?.push(word), gone: () => gone++ });
    await until(() => words.tide?.length === 1 && words.reef?.length === 1);
    expect([bell.isHeard('tide'), bell.isHeard('sand')]).toEqual([true, false]);
    for (let i = 0; i < 200; i++) bell.tell({ group: 'tide', part: `é${i}\n` });
    bell.tell({ group: 'reef', out: 7 });
    await until(() => words.tide?.length === 201 && words.reef?.length === 2);
    expect(words.tide?.slice(1).map(({ part }) => part)).toEqual(Array.from({ length: 200 }, (_, i) => `é${i}\n`));
    expect(words.reef?.[1]).toEqual({ group: 'reef', out: 7 });
    await bell.close();
    await until(() => gone === 2);
  });

  it('works in a data folder with a long name', async () => {
    const at = place(path.join('x'.repeat(90), 'y'.repeat(90)));
    const { heard } = await hung(at);
    expect(await ring(at)).toBe(true);
    await until(() => heard.includes('ring'));
  });

  it('drops a connection that sends nonsense, and keeps working', async () => {
    const at = place();
    const { heard } = await hung(at);
    const socket = net.connect(path.join(at.home, 'host.sock'));
    socket.on('error', () => {});
    const closed = new Promise((done) => socket.once('close', done));
    socket.write('{"listen": 7}\n\u0000\n');
    socket.resume();
    await closed;
    expect(await ring(at)).toBe(true);
    await until(() => heard.length === 1);
  });
});
