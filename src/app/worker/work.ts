// What the worker does in the background right now: kept in memory, told to viewers and to `status`.
import type { IngestProgress } from '../../capture/ingest.ts';
import type { Work, WorkKind, WorkSource } from '../../schema/work.ts';
import { type Sample, timeLeft, withSample } from './time-left.ts';

/** How far work has come. Another kind means that the next part of it has begun. */
export interface Reported {
  readonly kind?: WorkKind;
  readonly done: number;
  readonly total: number;
  /** If the count says less about the time than, for example, bytes do. */
  readonly share?: number;
}

export interface WorkInProgress extends WorkSource {
  /** Runs the work, and shows it until it ends. */
  during<Result>(kind: WorkKind, run: (report: (progress: Reported) => void) => Promise<Result>): Promise<Result>;
}

interface Running {
  kind: WorkKind;
  since: number;
  progress: Reported | undefined;
  samples: Sample[];
}

/** All other work may find that there is nothing to do, and is shown with its first progress. */
const uncounted: ReadonlySet<WorkKind> = new Set(['backup']);
/** Listeners hear of a change after this time, so shorter work does not flicker. */
const tellMs = 500;
/** Work that reports nothing for long loses its estimate. */
const againMs = 5000;

export function workInProgress(clock: () => number, afterMs = tellMs): WorkInProgress {
  const running = new Set<Running>();
  const listeners = new Set<(work: Work[]) => void>();
  let soon: NodeJS.Timeout | undefined;
  let later: NodeJS.Timeout | undefined;
  let told = '[]';

  function tell(): void {
    clearTimeout(soon);
    clearTimeout(later);
    soon = later = undefined;
    if (running.size > 0 && listeners.size > 0) later = setTimeout(tell, againMs).unref();
    const work = now();
    const text = JSON.stringify(work);
    if (text === told) return;
    told = text;
    for (const listen of listeners) listen(work);
  }
  const changed = () => {
    soon ??= setTimeout(tell, afterMs).unref();
  };
  const now = () =>
    [...running].filter(({ kind, progress }) => progress || uncounted.has(kind)).map((one) => shown(one, clock()));

  return {
    async during(kind, run) {
      const own: Running = { kind, since: clock(), progress: undefined, samples: [] };
      running.add(own);
      changed();
      try {
        return await run((progress) => {
          const next = progress.kind ?? kind;
          if (next !== own.kind) Object.assign(own, { kind: next, since: clock(), samples: [] });
          own.progress = progress;
          own.samples = withSample(own.samples, { at: clock(), share: shareOf(progress) });
          changed();
        });
      } finally {
        running.delete(own);
        changed();
      }
    },
    now,
    subscribe(listen) {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
  };
}

/** An import may redact first, and embeds last. Transcripts have very different sizes, so its share counts bytes. */
export function ofImport({ files, totalFiles, bytes, totalBytes, embedded, redacted }: IngestProgress): Reported {
  if (redacted !== undefined) return { kind: 'redact', done: Math.round(100 * redacted), total: 100, share: redacted };
  if (embedded !== undefined) return { kind: 'embed', ...embedded };
  return { kind: 'import', done: files, total: totalFiles, share: totalBytes === 0 ? 1 : bytes / totalBytes };
}

const shareOf = ({ done, total, share }: Reported): number => {
  const found = share ?? (total === 0 ? 1 : done / total);
  return Number.isFinite(found) ? Math.min(1, Math.max(0, found)) : 0;
};

function shown({ kind, since, progress, samples }: Running, now: number): Work {
  const secondsLeft = timeLeft(samples, now);
  return {
    kind,
    since: new Date(since).toISOString(),
    ...(progress === undefined
      ? {}
      : { done: progress.done, total: Math.max(progress.total, progress.done), share: shareOf(progress) }),
    ...(secondsLeft === undefined ? {} : { secondsLeft }),
  };
}
