// Work in the background yields to whatever a person waits for.
import fs from 'node:fs';
import { constants, setPriority } from 'node:os';

/** Contract: never throws. Where the system does not allow it, the process runs at normal priority. */
export function yieldProcess(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has already ended, or the system does not allow it.
  }
}

/** The same for the calling thread alone. Only Linux gives threads a priority of their own: elsewhere nothing changes. */
export function yieldThread(): void {
  const [, thread] = /\/task\/(\d+)$/.exec(threadPath()) ?? [];
  if (thread !== undefined) yieldProcess(Number(thread));
}

function threadPath(): string {
  try {
    return fs.readlinkSync('/proc/thread-self');
  } catch {
    return '';
  }
}
