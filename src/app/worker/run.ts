// The worker: watches for transcripts that grow, keeps the statuses of conversations moving, and does nothing else while nothing happens.
import fs from 'node:fs';
import type { Agent } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import { isHomeTranscript, leadsToTranscripts } from '../../capture/group-sources.ts';
import { type IngestDeps, ingestSources } from '../../capture/ingest.ts';
import type { LiveDeps } from '../../capture/live/hook.ts';
import { openSpool } from '../../capture/live/spool.ts';
import { fileQueue } from '../../capture/queue.ts';
import { fileSource, keyIn } from '../../capture/sources.ts';
import { fillVault, thinVault } from '../../capture/vault/vault.ts';
import { type Watch, watchFolder } from '../../capture/watch.ts';
import { finishForgetting } from '../../operations/data/forget-traces.ts';
import type { IngestReport } from '../../schema/ingest-report.ts';
import { liveEvents } from '../../schema/live-event.ts';
import { archiveSession } from '../../sessions/archives/archives.ts';
import { groupFolders } from '../../sessions/groups/group-folders.ts';
import { explain, systemCode } from '../../system/errors.ts';
import { backingUp } from './backing-up.ts';
import { briefings } from './briefings.ts';
import { distilling } from './distilling.ts';
import { type Door, door } from './door.ts';
import { embedding } from './embedding.ts';
import { exchanging } from './exchanging.ts';
import { type MemoryFiles, memoryFiles } from './memories.ts';
import { merging } from './merging.ts';
import { type Pulling, pulling } from './pulling.ts';
import { repeated } from './repeated.ts';
import { rereading } from './rereading.ts';
import { turns } from './turns.ts';

export interface WorkerDeps extends IngestDeps {
  readonly scan: () => Promise<IngestReport>;
  readonly log: (line: string) => void;
  /** Reads again a part of what an older version has read; without it that is left. */
  readonly reread?: (() => Promise<IngestReport>) | undefined;
  /** Does the distilling that is due, and says how many jobs that were; without it nothing is distilled. */
  readonly distil?: (() => Promise<number>) | undefined;
  /** Makes the daily copy of the database; without it none is made. */
  readonly backUp?: (() => Promise<{ file: string; why?: string }>) | undefined;
  /** Exchanges with the hub; without it nothing is shared. */
  readonly exchange?:
    | (() => Promise<{
        readonly pushed: { readonly entries: number };
        readonly pulled: { readonly entries: number; readonly forgotten: number; readonly dropped: number };
      }>)
    | undefined;
  /** Opens HTTP; without it the worker only watches. */
  readonly listen?: ((live: LiveDeps) => ReturnType<Parameters<typeof door>[0]>) | undefined;
}

/** Runs until the signal; resolves when the last transaction is finished and every watch and connection is closed. */
export async function runWorker(deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  const { store, config, clock, log } = deps;
  const events = liveEvents(clock);
  const complain = (error: unknown) => {
    if (signal.aborted) return;
    const { message, hint } = explain(error, 'the worker');
    log(hint === undefined ? message : `${message}. ${hint}`);
  };

  /** Set when the vault may lack something; what is still being written is looked at again. */
  let vaultDue = true;
  /** Set when the index has grown. */
  let indexDue = true;
  /** A scan that failed, for want of space say, is tried again with the next poll. */
  let scanDue = false;
  /** Each scan is a process. */
  const scans = repeated(scanOnce, log, signal);
  function scanAll(): Promise<void> {
    scans.wake();
    return scans.idle();
  }

  async function scanOnce(): Promise<void> {
    scanDue = false;
    try {
      const report = await deps.scan();
      if (report.files.imported > 0) vaultDue = indexDue = true;
      if (report.entries.added > 0) await seen.caughtUp();
      if (report.files.imported > 0)
        log(`imported ${report.entries.added} entries from ${report.files.imported} transcripts`);
      for (const problem of report.problems) log(problem.message);
      // What was read to say so, or before this, fills a cache of 16 MB that an idle worker has no use for.
      await store.shrink();
      if (report.entries.added > 0) events.publish({ kind: 'entries', added: report.entries.added });
    } catch (error) {
      scanDue = true;
      complain(error);
    }
  }

  const seen = turns({ store, events, clock, complain });
  const told = briefings({ store, config, clock, log }, signal);
  events.subscribe(({ kind }) => void (kind === 'briefing' || kind === 'processing' || told.wake()));
  const vectors = embedding(deps, signal);
  const index = merging(deps, signal);
  const backups = backingUp(deps, signal);
  const rereads = rereading(deps, signal, (added) => {
    indexDue = true;
    vectors.wake();
    if (added > 0) events.publish({ kind: 'entries', added });
  });
  const hub = exchanging(deps, signal, (added) => {
    indexDue = true;
    vectors.wake();
    told.wake();
    if (added > 0) events.publish({ kind: 'entries', added });
  });
  await store.keepLedger().catch(complain);
  const queue = fileQueue(
    async (file) => {
      const size = sizeOf(file);
      // A transcript that is gone keeps its entries.
      if (size === undefined || signal.aborted) return;
      const source = fileSource(config, { path: file, size }, config.home);
      if (source === undefined) return;
      const pass = await ingestSources({ ...deps, signal, progress: undefined }, [source], false);
      for (const problem of pass.problems) log(problem.message);
      const { agent, key } = source;
      const { session } = agent.describe(key);
      vaultDue = indexDue = true;
      if (pass.added > 0 && agent.hooks !== undefined) await seen.moved(agent.name, session);
      if (pass.added > 0) events.publish({ kind: 'entries', agent: agent.name, session, added: pass.added });
      vectors.wake();
    },
    (_, error) => complain(error),
  );

  const gapMs = config.settings.conversationGapMinutes * 60_000;
  const { distil } = deps;
  const run = async (): Promise<number> => {
    const added = (await distil?.()) ?? 0;
    if (added > 0) {
      vectors.wake();
      events.publish({ kind: 'distilled', added });
    }
    return added;
  };
  // The settings may have been changed since the start.
  const isWanted = () => config.reload().settings.distill.auto;
  const distils = distil && distilling({ store, clock, gapMs, isWanted, run, complain });
  if (distils) events.subscribe(distils.wake);

  // Open before the first scan: who asks must not wait for an import.
  // The client waits for nobody here: it compacts while the transcript is taken in and archived.
  const compacts: LiveDeps['compacts'] = (agent, session) =>
    void queue
      .idle()
      .then(() => store.groupOf({ agent, session }))
      .then((group) => (group === undefined ? undefined : groupFolders(config, group).conversations))
      .then((folder) => archiveSession({ store, config, clock }, { agent, session, folder }))
      .catch(complain);
  const live: LiveDeps = { store, config, clock, events, wake: queue.add, compacts };
  // Before the door opens: what waits is older than what comes in.
  const spool = await openSpool(live, complain);
  const { listen } = deps;
  const http: Door | undefined = listen && door(() => listen(live), log);
  const watches: Watch[] = [];
  let memories: MemoryFiles | undefined;
  let pulls: Pulling | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    await http?.open();
    /** Set when a folder cannot be watched: then every poll looks for itself. */
    let blind = false;
    const blinded = (error: unknown) => {
      blind = true;
      complain(error);
    };
    const watchAgent = async (agent: Agent) => {
      const root = config.watchPath(agent);
      watches.push(
        await watchFolder(
          root,
          (file) => agent.isTranscript(keyIn(root, file)),
          { file: queue.add, root: () => void scanAll(), error: blinded },
          agent.enters && ((folder) => agent.enters?.(keyIn(root, folder)) === true),
          true,
        ),
      );
    };
    const watchHomes = async () => {
      watches.push(
        await watchFolder(
          config.agentHomesPath,
          (file) => isHomeTranscript(config, file),
          { file: queue.add, root: () => void scanAll(), error: blinded },
          (folder) => leadsToTranscripts(config, folder),
        ),
      );
    };
    const lineFiles = (agents as readonly Agent[]).filter(
      (agent) => (agent.pull === undefined || agent.pull.beside !== undefined) && config.enabled(agent),
    );
    await Promise.all([...lineFiles.map(watchAgent), watchHomes()]);
    pulls = await pulling(
      { store, config, clock, running: deps.running, signal },
      { wake: queue.add, say: log, error: complain, blinded },
    );
    watches.push(...pulls.watches);
    await scanAll();

    memories = await memoryFiles(deps, { changed: vectors.wake, error: complain }, signal);

    let thinnedAt = 0;
    async function keepVault(): Promise<void> {
      if (vaultDue) {
        vaultDue = false;
        vaultDue = (await fillVault({ store, config, clock, running: deps.running, signal })).waiting;
      }
      if (clock() - thinnedAt > 86_400_000) {
        thinnedAt = clock();
        await thinVault({ store, config, clock });
      }
    }

    let polling = false;
    async function poll(): Promise<void> {
      // A poll that scans may take longer than the time to the next.
      if (polling) return;
      polling = true;
      try {
        await store.markReady(clock(), { gapMs, minEntries: config.settings.minConversationMessages });
        distils?.wake();
        pulls?.queue.retry();
        queue.retry();
        await spool.drain();
        await http?.open();
        if (scanDue || blind) await scanAll();
        vectors.wake();
        told.wake();
        memories?.retry();
        await finishForgetting({ store, config, clock });
        await keepVault();
        if (indexDue) index.wake();
        indexDue = false;
        backups.wake();
        rereads.wake();
        hub.wake();
      } catch (error) {
        complain(error);
      } finally {
        polling = false;
      }
    }
    await poll();
    timer = setInterval(() => void poll(), config.settings.pollIntervalMs);

    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    // Also where something above has failed: a door that stays open would keep the process, deaf, and the port from the next one.
    clearInterval(timer);
    await distils?.close();
    await http?.close();
    await spool.close();
    seen.close();
    await Promise.all(watches.map((watch) => watch.close()));
    await memories?.close();
    await pulls?.queue.idle();
    await queue.idle();
    await vectors.idle();
    await told.idle();
    await index.idle();
    await backups.idle();
    await rereads.idle();
    await hub.idle();
  }
}

function sizeOf(file: string): number | undefined {
  try {
    const stat = fs.statSync(file);
    return stat.isFile() ? stat.size : undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
