// Whether a process runs, by its pid alone.
import { readFileSync } from 'node:fs';
import { systemCode } from './errors.ts';

/** Assume alive when unsure. A zombie (not reaped, for example in a container without init) counts as dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // Not every system has /proc.
    return true;
  }
}
