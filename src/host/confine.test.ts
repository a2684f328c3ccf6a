import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { diskFolder } from '../../test/memory-folder.ts';
import { loadConfig } from '../config/config.ts';
import { confine } from './confine.ts';
import { none } from './sandbox/none.ts';
import type { Confined, Sandbox } from './sandbox/sandbox.ts';

/** A program that leaves something elsewhere, and the command that removes it. */
function outliving(script: string) {
  const folder = mkdtempSync(path.join(diskFolder(), 'holdfast-confine-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [left, ended] = [path.join(folder, 'left'), path.join(folder, 'ended')];
  const confined: Confined = {
    name: 'tide',
    argv: ['/bin/sh', '-c', `echo here > ${left}; ${script}`],
    cwd: folder,
    environment: { PATH: '/usr/bin:/bin' },
    mounts: [],
    network: true,
    limits: { memoryMb: 0, cpus: 0, processes: 0, fileMb: 0 },
  };
  const sandbox: Sandbox = {
    ...none,
    command: async (given, config) => ({
      ...(await none.command(given, config)),
      // It takes its time, as an engine does.
      end: ['/bin/sh', '-c', `sleep 0.2; mv ${left} ${ended}`],
    }),
  };
  return { left, ended, started: () => confine(sandbox, loadConfig({ HOME: folder }), confined) };
}

it.each([
  ['ends by itself', 'exit 3', { code: 3, signal: null }],
  ['is killed from outside', 'kill -9 $$', { code: null, signal: 'SIGKILL' }],
])('a process that %s has exited only when nothing of it is left elsewhere', async (_, script, exit) => {
  const { left, ended, started } = outliving(script);
  expect(await (await started()).exited).toEqual(exit);
  expect([existsSync(left), readFileSync(ended, 'utf8')]).toEqual([false, 'here\n']);
});

it('the same holds for one that the host kills', async () => {
  const { left, ended, started } = outliving('echo there; sleep 1000');
  const child = await started();
  await new Promise<void>((resolve) => child.lines(() => resolve()));
  child.kill();
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect([existsSync(left), existsSync(ended)]).toEqual([false, true]);
});

it('what it writes is read in lines of bounded length, however long they are', async () => {
  const { started } = outliving("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo there");
  const child = await started();
  const lines: string[] = [];
  child.lines((line) => lines.push(line));
  await child.exited;
  await expect.poll(() => lines.at(-1)).toBe('there');
  expect(lines.map((line) => line.length)).toEqual([4000, 5]);
});

it('lines without end are read no faster than the log can take them, and none after the end', async () => {
  const { started } = outliving('exec yes');
  const child = await started();
  let count = 0;
  await new Promise<void>((resolve) => child.lines(() => ++count > 100 && resolve()));
  child.kill();
  await child.exited;
  // The rest of the pipe alone has tens of thousands.
  expect(count).toBeLessThan(10_000);
});

it('has exited even if nothing can be removed: the engine may be gone', async () => {
  const { started, left } = outliving('rm left');
  expect(await (await started()).exited).toEqual({ code: 0, signal: null });
  expect(existsSync(left)).toBe(false);
});
