import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { confine } from './confine.ts';
import { none } from './sandbox/none.ts';
import type { Confined, Sandbox } from './sandbox/sandbox.ts';

/** A program that leaves something elsewhere, and the command that removes it. */
function outliving(script: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-confine-'));
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

it('has exited even if nothing can be removed: the engine may be gone', async () => {
  const { started, left } = outliving('rm left');
  expect(await (await started()).exited).toEqual({ code: 0, signal: null });
  expect(existsSync(left)).toBe(false);
});
