// The worker's log: plain lines with the time, readable only by the owner, never more than two files of 5 MB.
import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

export type Log = (line: string) => void;

const maxBytes = 5 * 1024 * 1024;

/** Contract: the returned function never throws; a full disk must not end the worker because of a log line. */
export function openLog(path: string, clock: () => number = Date.now): Log {
  return (line) => {
    try {
      rotateLog(path);
      // Opened for each line, because another process may have rotated the file.
      const file = openLogFile(path);
      try {
        writeSync(file, `${new Date(clock()).toISOString()} ${shortened(line.trimEnd()).replaceAll('\n', '\n  ')}\n`);
      } finally {
        closeSync(file);
      }
    } catch {
      // There is no better place left to report it.
    }
  };
}

const longestLine = 2000;

/** A line may quote outside text: it must not fill the log, move the cursor, or look like a separate line. */
function shortened(line: string): string {
  const cut = line.length > longestLine ? `${line.slice(0, longestLine)} … (${line.length} characters)` : line;
  return cut.replace(/(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}]/gu, '?');
}

/** For appending; only the owner can read a new file. */
export const openLogFile = (path: string): number => openSync(path, 'a', 0o600);

/** Moves a full log aside, over the previous one. */
export function rotateLog(path: string, limit: number = maxBytes): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < limit) return;
  const file = openLogFile(path);
  try {
    // Another process may have been faster; then the file of this name is a fresh one.
    if (fstatSync(file).size >= limit) renameSync(path, `${path}.1`);
  } finally {
    closeSync(file);
  }
}
