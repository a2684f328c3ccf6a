// When the worker distils: as soon as a job is due, never by looking again and again. The work itself is done elsewhere.
import type { LiveEvents } from '../../schema/live-event.ts';
import type { Store } from '../../store/store.ts';
import type { WorkerDeps } from './run.ts';

export interface DistillingDeps {
  readonly store: Pick<Store, 'jobs'>;
  readonly clock: () => number;
  readonly gapMs: number;
  /** False while the person wants none of it: then nothing is planned either, which would settle where conversations end. */
  readonly isWanted?: () => boolean;
  /** Does all that is due; resolves with how many jobs that were. */
  readonly run: () => Promise<number>;
  readonly complain: (error: unknown) => void;
  /** How long to wait for what else may happen, and how long after a run that came to nothing. */
  readonly settleMs?: number;
  readonly patienceMs?: number;
}

export interface Distilling {
  /** Something has changed: entries, a session's state, or a job. */
  wake(): void;
  /** Resolves when no work is going on and none will begin. */
  close(): Promise<void>;
}

/** More sessions than this are planned by the process that does the work. */
const fewSessions = 5;
/** Node's timers reach no further. */
const farthest = 2 ** 31 - 1;

export function distilling({
  store,
  clock,
  gapMs,
  isWanted = () => true,
  run,
  complain,
  settleMs = 200,
  patienceMs = 30_000,
}: DistillingDeps): Distilling {
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let working: Promise<void> | undefined;
  let again = false;
  let closed = false;

  function wakeIn(ms: number): void {
    const at = performance.now() + ms;
    if (closed || at >= timerAt) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(
      () => {
        timerAt = Number.POSITIVE_INFINITY;
        look();
      },
      Math.min(Math.max(ms, 0), farthest),
    ).unref();
  }

  function look(): void {
    if (closed) return;
    if (working !== undefined) {
      again = true;
      return;
    }
    working = work()
      .catch((error: unknown) => {
        complain(error);
        wakeIn(patienceMs);
      })
      .finally(() => {
        working = undefined;
        if (again) wakeIn(settleMs);
        again = false;
      });
  }

  async function work(): Promise<void> {
    if (!isWanted()) return;
    const isPlanned = await store.jobs.plan(clock(), { gapMs }, fewSessions);
    const next = isPlanned ? await store.jobs.nextAt() : clock();
    if (next === undefined || closed) return;
    if (next > clock()) {
      wakeIn(next - clock());
      return;
    }
    // What could not be done now will hardly be possible at once.
    wakeIn((await run()) > 0 ? 0 : patienceMs);
  }

  return {
    wake: () => wakeIn(settleMs),
    async close() {
      closed = true;
      clearTimeout(timer);
      await working;
    },
  };
}

/** As the worker does it; undefined where nothing distils. */
export function distillingOf(
  { store, config, clock, distil }: Pick<WorkerDeps, 'store' | 'config' | 'clock' | 'distil'>,
  parts: {
    readonly events: LiveEvents;
    readonly vectors: { wake(): void };
    readonly complain: (error: unknown) => void;
  },
): Distilling | undefined {
  if (distil === undefined) return undefined;
  const { events, vectors, complain } = parts;
  const run = async (): Promise<number> => {
    const added = await distil();
    if (added > 0) {
      vectors.wake();
      events.publish({ kind: 'distilled', added });
    }
    return added;
  };
  const gapMs = config.settings.conversationGapMinutes * 60_000;
  // The settings may have changed since the start.
  const isWanted = () => config.reload().settings.distill.auto;
  const distils = distilling({ store, clock, gapMs, isWanted, run, complain });
  events.subscribe(distils.wake);
  return distils;
}
