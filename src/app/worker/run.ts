// The worker: watches for growing transcripts, keeps the statuses of conversations moving, and does nothing else while nothing happens.

import { identifyProjects } from '../../capture/identify-projects.ts';
import type { IngestDeps } from '../../capture/ingest.ts';
import type { LiveDeps } from '../../capture/live/hook.ts';
import { openSpool } from '../../capture/live/spool.ts';
import { finishForgetting } from '../../operations/data/forget-traces.ts';
import type { Context } from '../../operations/operation.ts';
import type { IngestReport } from '../../schema/ingest-report.ts';
import { liveEvents } from '../../schema/live-event.ts';
import { aborted } from '../../system/aborted.ts';
import { explain } from '../../system/errors.ts';
import { giveBackMemory } from '../../system/heap.ts';
import { backingUp } from './backing-up.ts';
import { briefings } from './briefings.ts';
import { type Chore, rounds } from './chores.ts';
import { counting } from './counting.ts';
import { distillingOf } from './distilling.ts';
import { type Door, door } from './door.ts';
import { embedding } from './embedding.ts';
import { exchanging } from './exchanging.ts';
import { memoryFiles } from './memories.ts';
import { merging } from './merging.ts';
import { type Quiet, quiet } from './quiet.ts';
import { rereading } from './rereading.ts';
import { processorMs, resting } from './resting.ts';
import { scanning } from './scanning.ts';
import { archivingAfter, takingIn } from './taking-in.ts';
import { turns } from './turns.ts';
import { vaultKeeping } from './vault-keeping.ts';
import { watching } from './watching.ts';
import type { WorkInProgress } from './work.ts';

/** What the next poll has to do beside its usual chores. */
export interface Due {
  /** The vault may lack something. */
  vault: boolean;
  /** The index of words has grown. */
  index: boolean;
  /** A scan has failed, for example on a full disk. */
  scan: boolean;
  /** A folder cannot be watched, so every poll checks. */
  everyPoll: boolean;
}

export interface WorkerDeps extends IngestDeps {
  readonly store: Context['store'];
  readonly scan: () => Promise<IngestReport>;
  readonly log: (line: string) => void;
  /** Called before requests and transcripts are read, which may take the main thread for long. */
  readonly computes?: (() => unknown) | undefined;
  /** Shows what runs in the background. */
  readonly work?: WorkInProgress | undefined;
  /** Rereads a part of what an older version has read. Without it, nothing is reread. */
  readonly reread?: (() => Promise<IngestReport>) | undefined;
  /** Does the distilling that is due, and returns the number of jobs. Without it, nothing is distilled. */
  readonly distil?: (() => Promise<number>) | undefined;
  /** Makes the daily copy of the database. Without it, none is made. */
  readonly backUp?: (() => Promise<{ file: string; why?: string }>) | undefined;
  /** Counts the tokens of sessions. Without it, the worker counts all by itself. */
  readonly count?: (() => Promise<unknown>) | undefined;
  /** Exchanges with the hub. Without it, nothing is shared. */
  readonly exchange?:
    | (() => Promise<{
        readonly pushed: { readonly entries: number };
        readonly pulled: { readonly entries: number; readonly forgotten: number; readonly dropped: number };
      }>)
    | undefined;
  /** Opens HTTP. Without it, the worker only watches. */
  readonly listen?:
    | ((live: LiveDeps & Pick<WorkerDeps, 'store'> & Pick<Quiet, 'asked'>) => ReturnType<Parameters<typeof door>[0]>)
    | undefined;
}

/** Runs until the signal. Resolves when the last transaction is finished and every watch and connection is closed. */
export async function runWorker(deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  const { log } = deps;
  const complain = (error: unknown) => {
    if (signal.aborted) return;
    const { message, hint } = explain(error, 'the worker');
    log(hint === undefined ? message : `${message}. ${hint}`);
  };
  const open: Open = { complain, sources: [], work: [] };
  try {
    const poll = await begin(deps, open, signal);
    await poll();
    const timer = setInterval(() => void poll(), deps.config.settings.pollIntervalMs);
    open.sources.unshift(() => clearInterval(timer));
    await aborted(signal);
  } finally {
    // Even after a failure: an open port would keep the process alive but deaf, and would block the next worker.
    for (const close of [...open.sources, ...open.work]) await close();
  }
}

type Close = () => Promise<unknown> | unknown;

interface Open {
  readonly complain: (error: unknown) => void;
  /** Closes the sources of work first, or the work would never end. */
  readonly sources: Close[];
  /** Waits for running work. */
  readonly work: Close[];
}

/** Opens the port, watches every folder and scans once. Resolves with what each poll does. */
async function begin(deps: WorkerDeps, { complain, sources, work }: Open, signal: AbortSignal) {
  const { store, config, clock, log, listen } = deps;
  const events = liveEvents(clock);
  const due: Due = { vault: true, index: true, scan: false, everyPoll: false };
  const seen = turns({ store, events, clock, complain });
  const requests = quiet(signal);
  const told = briefings({ store, config, clock, log, requests }, signal);
  events.subscribe(({ kind }) => void (kind === 'briefing' || kind === 'processing' || told.wake()));
  const vectors = embedding({ ...deps, requests }, signal);
  const index = merging(deps, signal);
  const backups = backingUp(deps, signal);
  const tokens = counting(deps, signal);
  const came = (added: number) => {
    due.index = true;
    vectors.wake();
    told.wake();
    if (added > 0) events.publish({ kind: 'entries', added });
  };
  const rereads = rereading(deps, signal, came);
  const hub = exchanging(deps, signal, came);
  await store.admin.keepCacheSmall();
  await store.admin.keepLedger().catch(complain);
  const scans = scanning(deps, { due, seen, events, complain }, signal);
  const queue = takingIn(deps, { due, seen, events, vectors, complain }, signal);
  const distils = distillingOf(deps, { events, vectors, requests, complain });

  const live: LiveDeps & Pick<WorkerDeps, 'store'> & Pick<Quiet, 'asked'> = {
    asked() {
      deps.computes?.();
      requests.asked();
    },
    starts: requests.starts,
    store,
    config,
    clock,
    events,
    wake: queue.add,
    compacts: archivingAfter(deps, queue, complain),
  };
  // Before the port opens: what waits in the spool is older than new reports.
  const spool = await openSpool(live, complain);
  const http: Door | undefined = listen && door(() => listen(live), log);
  sources.push(
    () => distils?.close(),
    () => http?.close(),
    spool.close,
    seen.close,
  );
  work.push(...[queue, vectors, told, index, backups, tokens, rereads, hub].map(({ idle }) => idle));
  // Before the first scan: a question must not wait for an import.
  await http?.open();
  const watches = await watching(deps, { due, file: queue.add, root: () => void scans.all(), complain }, signal);
  sources.push(watches.close);
  work.unshift(watches.pulls.queue.idle);
  await scans.all();
  // A folder may have become a repository, or its disk may be back.
  await identifyProjects({ store, config, signal }, true).catch(complain);
  const memories = await memoryFiles(deps, { changed: vectors.wake, error: complain }, signal);
  sources.push(memories.close);

  const release = async () => {
    await store.admin.shrink();
    await giveBackMemory();
  };
  const gapMs = config.settings.conversationGapMinutes * 60_000;
  const chores: Chore[] = [
    {
      name: 'conversations',
      run: () => store.conversations.markReady(clock(), { gapMs, minEntries: config.settings.minConversationMessages }),
    },
    { name: 'repositories', run: () => identifyProjects({ store, config, signal }) },
    { name: 'distilling', run: () => distils?.wake() },
    { name: 'databases of agents', run: () => watches.pulls.queue.retry() },
    { name: 'transcripts', run: queue.retry },
    { name: 'spool', run: spool.drain },
    { name: 'door', run: () => http?.open() },
    { name: 'scan', run: () => (due.scan || due.everyPoll ? scans.all() : undefined) },
    { name: 'vectors', run: vectors.wake },
    { name: 'briefings', run: told.wake },
    { name: 'memory pages', run: memories.retry },
    { name: 'forgetting', run: () => finishForgetting({ store, config, clock }) },
    { name: 'vault', run: vaultKeeping(deps, due, signal) },
    {
      name: 'index',
      run: () => {
        if (due.index) index.wake();
        due.index = false;
      },
    },
    { name: 'backups', run: backups.wake },
    // After the vault: reading a transcript that is not copied yet takes ten times as long.
    { name: 'tokens', run: () => (due.vault ? undefined : tokens.wake()) },
    { name: 'rereading', run: rereads.wake },
    { name: 'hub', run: hub.wake },
    { name: 'memory', run: resting({ processorMs, release }) },
  ];
  return rounds(chores, (_, error) => complain(error));
}
