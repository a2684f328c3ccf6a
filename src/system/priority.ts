// Work in the background yields to whatever a person waits for.
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * For `spawn` and `fork` of such work. Linux may share the processor among sessions first, and compare priorities only within each:
 * a process of low priority would get as much as the person's browser and agents. So the work has a session of its own, which yields.
 */
export const apartFromSession = process.platform === 'linux';

/** For a process that was started `apartFromSession`. Contract: never throws. Where the system allows neither, it runs as usual. */
export function yieldSession(pid: number): void {
  const lowest = constants.priority.PRIORITY_LOW;
  const steps = [
    () => setPriority(pid, lowest),
    ...(apartFromSession ? [() => writeFileSync(`/proc/${pid}/autogroup`, String(lowest))] : []),
  ];
  for (const step of steps)
    try {
      step();
    } catch {
      // It has already ended, or the system does not allow this, or does not share among sessions.
    }
}
