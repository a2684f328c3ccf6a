// Work in the background yields to whatever a person waits for.
import { constants, setPriority } from 'node:os';

/** Contract: never throws. Where the system does not allow it, the process runs at normal priority. */
export function yieldProcess(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has already ended, or the system does not allow it.
  }
}
