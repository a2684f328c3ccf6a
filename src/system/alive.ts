// Whether a process runs, by its pid alone.
import { readFileSync } from 'node:fs';
import { systemCode } from './errors.ts';

/** In doubt it lives. One that ended unasked after, as in a container without an init, keeps its pid and is dead. */
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
