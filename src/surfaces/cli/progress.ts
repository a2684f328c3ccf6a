// Progress of long work on standard error: one live line on a terminal, a line every few seconds elsewhere.
import type { Progress } from '../../operations/operation.ts';
import { withCommas } from '../../schema/with-commas.ts';
import { bytes } from './style.ts';

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressBar {
  update(progress: Progress): void;
  /** Removes the live line, so that the following output starts clean. */
  clear(): void;
}

export function progressBar(terminal: Terminal, clock: () => number = Date.now): ProgressBar {
  const live = terminal.isTTY === true;
  let started = clock();
  let phase: Phase | undefined;
  let last = live ? 0 : started;
  let drawn = false;
  return {
    update(progress) {
      const now = clock();
      // The speed of the phase before says nothing about this one.
      if (phase !== undefined && phase !== phaseOf(progress)) started = now;
      phase = phaseOf(progress);
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

export function describe(progress: Progress, elapsedMs: number): string {
  const { done, total } = shareOf(progress);
  const speed = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0;
  const left = speed > 0 ? `${duration(Math.max(0, (total - done) / speed))} left` : '';
  if ('redacted' in progress) return ['applying newer redaction rules', left].filter((part) => part !== '').join('  ');
  const parts =
    embeddedIn(progress) !== undefined
      ? [`${withCommas(done)} of ${withCommas(total)} texts embedded`, left]
      : 'jobs' in progress
        ? [
            `${progress.jobs}/${progress.totalJobs} jobs`,
            progress.tokens === 0 ? '' : `${withCommas(progress.tokens)} tokens`,
            left,
          ]
        : 'lines' in progress
          ? [`${withCommas(progress.lines)} of ${withCommas(progress.totalLines)} lines`, left]
          : [
              `${progress.files}/${progress.totalFiles} files`,
              `${bytes(progress.bytes)} of ${bytes(progress.totalBytes)}`,
              `${bytes(speed)}/s`,
              left,
            ];
  return parts.filter((part) => part !== '').join('  ');
}

type Phase = 'redacting' | 'embedding' | 'distilling' | 'lines' | 'import';

const embeddedIn = (progress: Progress) => ('embedded' in progress ? progress.embedded : undefined);

function phaseOf(progress: Progress): Phase {
  if ('redacted' in progress) return 'redacting';
  if (embeddedIn(progress) !== undefined) return 'embedding';
  return 'jobs' in progress ? 'distilling' : 'lines' in progress ? 'lines' : 'import';
}

function shareOf(progress: Progress): { done: number; total: number } {
  if ('redacted' in progress) return { done: progress.redacted ?? 0, total: 1 };
  if ('jobs' in progress) return { done: progress.jobs, total: progress.totalJobs };
  if ('lines' in progress) return { done: progress.lines, total: progress.totalLines };
  return embeddedIn(progress) ?? { done: progress.bytes, total: progress.totalBytes };
}

function bar(progress: Progress, width: number): string {
  const { done, total } = shareOf(progress);
  const filled = total === 0 ? width : Math.min(width, Math.round((done / total) * width));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

const duration = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
