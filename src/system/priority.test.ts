import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { because } from '../../test/because.ts';
import { apartFromSession, yieldSession } from './priority.ts';

const shareOf = (pid: number | 'self'): number | undefined => {
  try {
    return Number(/nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
};
const missing = shareOf('self') === undefined ? 'this system does not share the processor among sessions' : undefined;

it.skipIf(missing)(
  because('work in a session of its own yields to other sessions, and nothing else does', missing),
  async () => {
    const own = shareOf('self');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: apartFromSession });
    onTestFinished(() => void child.kill('SIGKILL'));
    const pid = child.pid as number;
    // The system accepts one such change at a time, from all processes.
    await expect
      .poll(() => {
        yieldSession(pid);
        return shareOf(pid);
      })
      .toBe(constants.priority.PRIORITY_LOW);
    expect(getPriority(pid)).toBe(constants.priority.PRIORITY_LOW);
    expect(shareOf('self')).toBe(own);
  },
);
