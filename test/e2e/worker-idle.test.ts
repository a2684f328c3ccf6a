// An idle worker: how often the system wakes it, and how much CPU it uses, as counted by the system.
import { spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { ask, place, until } from './holdfast.ts';

const sample = path.join(import.meta.dirname, '../../demo/claude-code/projects');
const windowMs = 5000;
/** Of the 500 ticks that a CPU has in that time, and of the 5000 wakes that a one-millisecond timer would cause. */
const most = { ticks: 25, wakes: 250 };

interface Used {
  readonly ticks: number;
  readonly wakes: number;
}

function usedBy(pid: number): Used {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const wakes = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { ticks: Number(fields[11]) + Number(fields[12]), wakes: Number(wakes) };
}

async function usedInWindow(pid: number): Promise<Used> {
  const before = usedBy(pid);
  await sleep(windowMs);
  const after = usedBy(pid);
  return { ticks: after.ticks - before.ticks, wakes: after.wakes - before.wakes };
}

const isIdle = ({ ticks, wakes }: Used): boolean => ticks <= most.ticks && wakes <= most.wakes;

it.skipIf(process.platform !== 'linux')(
  'lifecycle.md 13: an idle worker uses no CPU, also after an import',
  async () => {
    const own = place();
    cpSync(sample, own.claude, { recursive: true });
    const { pid } = await ask(own.env, 'worker', 'start');
    onTestFinished(async () => void (await ask(own.env, 'worker', 'stop')));
    await until(async () => (await ask(own.env, 'sessions')).sessions.length > 0, 'the import');
    // First the worker finishes what an import leaves to do (vectors, the vault, the index). Then it is idle and stays idle.
    await until(async () => isIdle(await usedInWindow(pid)), 'the end of what an import leaves to do');
    for (let look = 0; look < 2; look++) {
      const used = await usedInWindow(pid);
      expect(isIdle(used), JSON.stringify(used)).toBe(true);
    }
  },
);

it.skipIf(process.platform !== 'linux').each([
  ['a loop', 'for (;;);'],
  ['a timer of a millisecond', 'setInterval(() => {}, 1);'],
])('the count tells %s from idleness', async (_, code) => {
  const child = spawn(process.execPath, ['-e', code]);
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(isIdle(await usedInWindow(child.pid as number))).toBe(false);
});
