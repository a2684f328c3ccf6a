// When the worker distills: as soon as a job is due, never by polling. Another process does the work.
import { planRules } from '../../distill/job-policy.ts';
import type { LiveEvents } from '../../schema/live-event.ts';
import type { PlanRules } from '../../store/jobs/port.ts';
import type { Store } from '../../store/store.ts';
import type { Quiet } from './quiet.ts';
import type { WorkerDeps } from './run.ts';

export interface DistillingDeps {
  readonly store: Pick<Store, 'jobs'>;
  readonly clock: () => number;
  readonly planning: PlanRules;
  /** False while the person has turned it off. Then nothing is planned either, because planning would settle where conversations end. */
  readonly isWanted?: () => boolean;
  /** Does everything that is due. Resolves with the number of jobs. */
  readonly run: () => Promise<number>;
  readonly complain: (error: unknown) => void;
  /** Resolves when nothing that a person waits for needs the processors. */
  readonly rest?: () => Promise<void>;
  /** How long to wait for further events, and how long after a run that did nothing. */
  readonly settleMs?: number;
  readonly patienceMs?: number;
}

export interface Distilling {
  /** Something has changed: entries, a session's state, or a job. */
  wake(): void;
  /** Resolves when no work is running and none will start. */
  close(): Promise<void>;
}

/** More sessions than this are planned by the process that does the work. */
const fewSessions = 5;
/** The longest delay of a Node timer. */
const farthest = 2 ** 31 - 1;

export function distilling({
  store,
  clock,
  planning,
  isWanted = () => true,
  run,
  complain,
  rest = async () => {},
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
    await rest();
    if (closed || !isWanted()) return;
    const isPlanned = await store.jobs.plan(clock(), planning, fewSessions);
    const next = isPlanned ? await store.jobs.nextAt() : clock();
    if (next === undefined || closed) return;
    if (next > clock()) {
      wakeIn(next - clock());
      return;
    }
    // Work that failed now would hardly succeed at once.
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

/** Distilling as the worker does it; undefined if there is no distiller. */
export function distillingOf(
  { store, config, clock, distil }: Pick<WorkerDeps, 'store' | 'config' | 'clock' | 'distil'>,
  parts: {
    readonly events: LiveEvents;
    readonly vectors: { wake(): void };
    readonly requests: Pick<Quiet, 'wait'>;
    readonly complain: (error: unknown) => void;
  },
): Distilling | undefined {
  if (distil === undefined) return undefined;
  const { events, vectors, requests, complain } = parts;
  const run = async (): Promise<number> => {
    const added = await distil();
    if (added > 0) {
      vectors.wake();
      events.publish({ kind: 'distilled', added });
    }
    return added;
  };
  // The settings may have changed since the start.
  const isWanted = () => config.reload().settings.distill.auto;
  const planning = planRules(config.settings);
  const distils = distilling({ store, clock, planning, isWanted, run, complain, rest: requests.wait });
  events.subscribe(distils.wake);
  return distils;
}
