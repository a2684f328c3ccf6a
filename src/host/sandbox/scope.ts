// Limits the memory, CPU and number of processes of an agent with everything that it starts: a systemd scope, which is a separate control
// group (cgroup v2). bubblewrap itself has no such limits.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Limits } from './sandbox.ts';

type ScopeLimits = Pick<Limits, 'memoryMb' | 'cpus' | 'processes'>;

/** How systemd's own program finds its manager. The agent gets none of it. */
const forManager = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'] as const;

export const asksForScope = ({ memoryMb, cpus }: ScopeLimits): boolean => memoryMb > 0 || cpus > 0;

/** The prefix that runs a command within these limits. Root asks the system's manager, others ask their own. */
export function scopeCommand({ memoryMb, cpus, processes }: ScopeLimits, isRoot: boolean): string[] {
  const properties = [
    ...(memoryMb > 0 ? [`MemoryMax=${memoryMb}M`, 'MemorySwapMax=0'] : []),
    ...(cpus > 0 ? [`CPUQuota=${Math.max(1, Math.round(cpus * 100))}%`] : []),
    ...(processes > 0 ? [`TasksMax=${processes}`] : []),
  ];
  return [
    ...['systemd-run', ...(isRoot ? [] : ['--user']), '--scope', '--quiet', '--collect'],
    ...properties.flatMap((property) => ['-p', property]),
    ...['--', 'env', ...forManager.flatMap((name) => ['-u', name])],
  ];
}

type Ask = (file: string, args: readonly string[]) => Promise<{ readonly stdout: string }>;

/** Prints the limits that the kernel has for the control group in which this runs. */
const look = 'cd "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)" && cat memory.max cpu.max';

/**
 * Whether a scope enforces what it says: a manager accepts limits for which its part of the tree has no controllers, and then enforces
 * nothing.
 */
export async function scopeWorks(ask: Ask, isRoot: boolean): Promise<boolean> {
  const [file = '', ...args] = scopeCommand({ memoryMb: 64, cpus: 0.5, processes: 0 }, isRoot);
  try {
    const { stdout } = await ask(file, [...args, 'sh', '-c', look]);
    const [memory, cpu] = stdout.trim().split('\n');
    return memory === String(64 * 1024 * 1024) && cpu?.split(' ')[0] === '50000';
  } catch {
    // No systemd-run, no manager, or no such limits: each is an answer.
    return false;
  }
}

const run = promisify(execFile);
let known: Promise<boolean> | undefined;

/** Once per process: what works does not change while it runs. */
export function hasScopes(environment: NodeJS.ProcessEnv, isRoot: boolean): Promise<boolean> {
  known ??= scopeWorks((file, args) => run(file, [...args], { env: environment, timeout: 10_000 }), isRoot);
  return known;
}
