import { expect, it } from 'vitest';
import { asksForScope, scopeCommand, scopeWorks } from './scope.ts';

it('limits are properties of a scope, and nothing of its manager reaches the agent', () => {
  expect(scopeCommand({ memoryMb: 2048, cpus: 1.5, processes: 512 }, false)).toEqual([
    ...['systemd-run', '--user', '--scope', '--quiet', '--collect', '-p', 'MemoryMax=2048M', '-p', 'MemorySwapMax=0'],
    ...[
      '-p',
      'CPUQuota=150%',
      '-p',
      'TasksMax=512',
      '--',
      'env',
      '-u',
      'XDG_RUNTIME_DIR',
      '-u',
      'DBUS_SESSION_BUS_ADDRESS',
    ],
  ]);
  expect(scopeCommand({ memoryMb: 0, cpus: 0.004, processes: 0 }, true).slice(0, 6)).toEqual([
    ...['systemd-run', '--scope', '--quiet', '--collect', '-p', 'CPUQuota=1%'],
  ]);
  expect(asksForScope({ memoryMb: 0, cpus: 0, processes: 512 })).toBe(false);
});

it('a scope counts only if the kernel has the limits that it was made with', async () => {
  const says = (stdout: string) => scopeWorks(async () => ({ stdout }), false);
  expect(await says('67108864\n50000 100000\n')).toBe(true);
  expect(await says('max\nmax 100000\n')).toBe(false);
  expect(await says('67108864\n')).toBe(false);
  expect(await says('')).toBe(false);
  expect(await scopeWorks(() => Promise.reject(new Error('Failed to connect to bus')), true)).toBe(false);
});
