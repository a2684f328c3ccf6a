// How long the machine has been running: the one clock that no person and no time server sets.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

export interface RunningTime {
  /** Which start of the machine or container the time counts from. */
  readonly boot: string;
  readonly ms: number;
}

/** Undefined if the system does not identify its starts. */
export function runningTime(): RunningTime | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // A restarted container counts from zero on the same machine: its first process is another one.
    const first = readFileSync('/proc/1/stat', 'utf8');
    const started = first.slice(first.lastIndexOf(')') + 2).split(' ')[19];
    return { boot: `${boot}:${started}`, ms: Math.round(uptime() * 1000) };
  } catch {
    return undefined;
  }
}
