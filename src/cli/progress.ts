// How far an import has come, on standard error: one live line on a terminal, a line every few seconds elsewhere.
import type { IngestProgress } from '../capture/ingest.ts';
import { bytes } from './style.ts';

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressBar {
  update(progress: IngestProgress): void;
  /** Removes the live line, so that what follows starts clean. */
  clear(): void;
}

export function progressBar(terminal: Terminal, clock: () => number = Date.now): ProgressBar {
  const live = terminal.isTTY === true;
  const started = clock();
  let last = live ? 0 : started;
  let drawn = false;
  return {
    update(progress) {
      const now = clock();
      if (now - last < (live ? 80 : 5000)) return;
      last = now;
      const text = describe(progress, now - started);
      if (!live) terminal.write(`${text}\n`);
      else {
        const room = Math.max(10, (terminal.columns ?? 80) - text.length - 4);
        terminal.write(`\r\x1b[2K${bar(progress, Math.min(30, room))} ${text}`.slice(0, (terminal.columns ?? 80) + 4));
        drawn = true;
      }
    },
    clear() {
      if (drawn) terminal.write('\r\x1b[2K');
      drawn = false;
    },
  };
}

export function describe(progress: IngestProgress, elapsedMs: number): string {
  if (progress.embedded !== undefined) {
    const { done, total } = progress.embedded;
    return `${done.toLocaleString('en')} of ${total.toLocaleString('en')} new texts prepared for search by meaning`;
  }
  const speed = elapsedMs > 0 ? (progress.bytes / elapsedMs) * 1000 : 0;
  const left = speed > 0 ? (progress.totalBytes - progress.bytes) / speed : undefined;
  const parts = [
    `${progress.files}/${progress.totalFiles} files`,
    `${bytes(progress.bytes)} of ${bytes(progress.totalBytes)}`,
    `${bytes(speed)}/s`,
    left === undefined ? '' : `${duration(Math.max(0, left))} left`,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function bar({ bytes: read, totalBytes, embedded }: IngestProgress, width: number): string {
  const { done, total } = embedded ?? { done: read, total: totalBytes };
  const filled = total === 0 ? width : Math.min(width, Math.round((done / total) * width));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

const duration = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
