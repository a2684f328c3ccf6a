// Scans of all transcripts. Each is a separate process, so that its memory is freed with it.
import { plural } from '../../language/plural.ts';
import type { LiveEvents } from '../../schema/live-event.ts';
import { repeated } from './repeated.ts';
import type { Due, WorkerDeps } from './run.ts';
import type { Turns } from './turns.ts';

export interface Scanning {
  /** Scans. Resolves when no scan is running. */
  all(): Promise<void>;
}

export function scanning(
  { scan, log }: Pick<WorkerDeps, 'scan' | 'log'>,
  parts: {
    readonly due: Due;
    readonly seen: Turns;
    readonly events: LiveEvents;
    readonly complain: (error: unknown) => void;
  },
  signal: AbortSignal,
): Scanning {
  const { due, seen, events, complain } = parts;

  async function once(): Promise<void> {
    due.scan = false;
    try {
      const report = await scan();
      if (report.files.imported > 0) due.vault = due.index = true;
      if (report.entries.added > 0) await seen.caughtUp();
      if (report.files.imported > 0)
        log(
          `imported ${plural(report.entries.added, 'entry', 'entries')} from ${plural(report.files.imported, 'transcript')}`,
        );
      for (const problem of report.problems) log(problem.message);
      if (report.entries.added > 0) events.publish({ kind: 'entries', added: report.entries.added });
    } catch (error) {
      due.scan = true;
      complain(error);
    }
  }

  const scans = repeated(once, log, signal);
  return {
    all() {
      scans.wake();
      return scans.idle();
    },
  };
}
