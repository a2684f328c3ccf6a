// The worker as a process. Its code is loaded only when one of these runs.
import { existsSync, fstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { z } from 'zod';
import { startingName } from '../agents/hooks.ts';
import type { LiveDeps } from '../capture/hook.ts';
import { type Config, ensureHome } from '../config.ts';
import { explain } from '../errors.ts';
import { HttpState } from '../schema/http-state.ts';
import type { IngestReport } from '../schema/ingest-report.ts';
import { Moment } from '../schema/time.ts';
import type { WorkerDeps } from '../worker/run.ts';
import { type Context, operation } from './operation.ts';
import { pausedSince } from './pause.ts';
import { installed, serviceInstall, serviceUninstall, uninstalled } from './service.ts';

export const workerRun = operation({
  name: 'worker run',
  ending: 'guarded',
  summary: 'Watch for new transcripts in the foreground, until Ctrl+C',
  input: z.object({}),
  output: z.object({ stopped: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast worker run'],
  async run(context) {
    await watch(context);
    return { stopped: true };
  },
});

/** Runs as the worker until the signal says stop; where there is a worker already, only says so. */
export async function watch(context: Context): Promise<void> {
  const { claimWorker } = await import('../worker/process.ts');
  const { config } = context;
  const claim = await claimWorker(config);
  // The hook that has started us need not keep others from it any more.
  rmSync(join(config.home, startingName), { force: true });
  if (claim.other !== undefined) {
    context.say?.(`A worker is watching already (process ${claim.other}).`);
    await sayAddress(context);
    return;
  }
  try {
    const [{ runWorker }, { ingestApart, processApart, runApart }, { startHttp }, { openLog }] = await Promise.all([
      import('../worker/run.ts'),
      import('../worker/apart.ts'),
      import('../http/server.ts'),
      import('../log.ts'),
    ]);
    const write = openLog(config.logPath);
    // In the background the log is also where standard output goes; each line should be there once.
    const say = isOutput(config.logPath) ? undefined : context.say;
    const log = (line: string) => {
      write(line);
      say?.(line);
    };
    write(`worker ${process.pid} started`);
    say?.('Watching for new transcripts. Ctrl+C stops; nothing is lost.');
    // Not waited for: the first session should not.
    setTimeout(() => void mendInstalled(config, log), 1000).unref();
    // A worker whose data folder was removed would hold the port against the next one, for ever.
    const orphaned = new AbortController();
    const opened = inodeOf(config.databasePath);
    const look = () => {
      if (claim.lost()) return orphaned.abort();
      const now = inodeOf(config.databasePath);
      if (now === opened || now === undefined) return;
      // What it writes from here on would go into a file that no other process sees.
      log(`${config.databasePath} was replaced: the worker ends, and the next one opens the new file`);
      orphaned.abort();
    };
    setInterval(look, config.settings.pollIntervalMs).unref();
    const signal = AbortSignal.any([orphaned.signal, ...(context.signal ? [context.signal] : [])]);
    const scan = () => ingestApart({ config, signal });
    const reread = () =>
      runApart<IngestReport>(['ingest', '--renew', '--later'], 'Reading again', { config, signal, background: true });
    const distil = () => processApart({ config, signal });
    const backUp = () =>
      runApart<{ file: string; why?: string }>(['backup', '--rotate'], 'The copy', {
        config,
        signal,
        background: true,
      });
    const exchange = () =>
      runApart<Awaited<ReturnType<NonNullable<WorkerDeps['exchange']>>>>(['hub', 'sync'], 'The exchange with the hub', {
        config,
        signal,
        background: true,
      });
    const apart = (words: readonly string[]) => runApart(words, `holdfast ${words.join(' ')}`, { config, signal });
    const listen = async (live: LiveDeps) => {
      context.meaning?.leaveReading();
      const server = await startHttp({ ...live, meaning: context.meaning, apart, log, onPrompt: pastOf(context) });
      // Never into the log: the address opens the memory.
      if (say) await sayAddress(context);
      return server;
    };
    const { keepHeapSmall } = await import('../worker/heap.ts');
    keepHeapSmall();
    const { dropHeld, hearForgotten } = await import('./forgotten-bell.ts');
    const forgetting = hearForgotten(config, () => void dropHeld(context.store));
    const deps = { ...context, progress: undefined, scan, reread, distil, backUp, exchange, log, listen };
    await runWorker(deps, signal).finally(forgetting.close);
    write(`worker ${process.pid} stopped`);
  } finally {
    claim.release();
  }
}

/** Only to a person's eyes: what goes through a pipe may end in a journal that others read. */
async function sayAddress({ config, clock, say }: Context): Promise<void> {
  if (!isatty(1)) return say?.('To look at it in your browser: holdfast open');
  const { viewerAddress } = await import('./open.ts');
  say?.(`Look at it in your browser: ${await viewerAddress(config, clock())}`);
}

/** What the past knows about a prompt, for those who have asked to be told; the worker may have been started before they did. */
function pastOf(context: Context): LiveDeps['onPrompt'] {
  return async (...said) =>
    (await import('./briefing.ts')).recallFor({ ...context, config: context.config.reload() }, ...said);
}

/** Hooks that an older version put into an agent's settings are brought up to date. */
async function mendInstalled(config: Config, log: (line: string) => void): Promise<void> {
  try {
    const { hooked } = await import('./install.ts');
    const { mendHooks } = await import('../install/hooks.ts');
    const { mendMcp } = await import('../install/mcp.ts');
    // The settings may have been changed since the start: what counts is how they are now.
    const current = config.reload();
    for (const agent of hooked) {
      if (agent.hooks !== undefined)
        for (const file of mendHooks(current, agent)) log(`brought the hooks in ${file} up to date`);
      for (const file of mendMcp(current, agent)) log(`brought the MCP server in ${file} up to date`);
    }
  } catch (error) {
    log(explain(error, 'the hooks').message);
  }
}

const inodeOf = (path: string): bigint | undefined => statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;

function isOutput(path: string): boolean {
  const [output, file] = [fstatSync(1), statSync(path, { throwIfNoEntry: false })];
  return output.ino === file?.ino && output.dev === file.dev;
}

export const workerStart = operation({
  name: 'worker start',
  summary: 'Start the worker in the background',
  input: z.object({}),
  output: z.object({ pid: z.number().int(), alreadyRunning: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast worker start'],
  withoutStore: true,
  async run({ config }) {
    ensureHome(config);
    const { startWorker } = await import('../worker/process.ts');
    return startWorker(config);
  },
});

export const workerStop = operation({
  name: 'worker stop',
  summary: 'Stop the worker',
  input: z.object({}),
  output: z.object({ stopped: z.boolean(), pid: z.number().int().optional() }),
  surfaces: ['cli'],
  examples: ['holdfast worker stop'],
  withoutStore: true,
  async run({ config }) {
    const { stopWorker } = await import('../worker/process.ts');
    return stopWorker(config);
  },
});

export const workerStatus = operation({
  name: 'worker status',
  summary: 'Say whether the worker runs and can be reached',
  input: z.object({}),
  output: z.object({
    running: z.boolean(),
    pid: z.number().int().optional(),
    since: z.string().optional(),
    version: z.string().optional(),
    http: HttpState,
    pausedSince: Moment.optional().describe('capture is paused'),
  }),
  surfaces: ['cli'],
  examples: ['holdfast worker status', 'holdfast worker status --json'],
  withoutStore: true,
  async run({ config }) {
    const [{ workerStatus: statusOf }, { httpState }] = await Promise.all([
      import('../worker/process.ts'),
      import('../http/reach.ts'),
    ]);
    const status = await statusOf(config);
    const paused = await pauseOf(config);
    return {
      ...status,
      http: await httpState(config.settings.port, status.running ? status.pid : undefined),
      ...(paused === undefined ? {} : { pausedSince: paused }),
    };
  },
});

async function pauseOf(config: Config): Promise<Moment | undefined> {
  if (!existsSync(config.databasePath)) return undefined;
  try {
    const [{ openSqliteStore }, { backupPlan }] = await Promise.all([
      import('../store/sqlite/open.ts'),
      import('../store/sqlite/backup-files.ts'),
    ]);
    const store = await openSqliteStore(config.databasePath, undefined, backupPlan(config));
    try {
      return await pausedSince(store);
    } finally {
      await store.close();
    }
  } catch {
    // A store that cannot be opened is what `holdfast doctor` speaks of; the worker's status is asked for because of it.
    return undefined;
  }
}

export const workerInstall = operation({
  name: 'worker install',
  summary: "Let your system's service manager run the worker: systemd, or launchd",
  ...serviceInstall,
  examples: ['holdfast worker install', 'holdfast worker install --dry-run'],
  run: async (context, input) => installed(context, (await import('../worker/service.ts')).workerService, input),
});

export const workerUninstall = operation({
  name: 'worker uninstall',
  summary: 'Take the worker back from the service manager, without a trace',
  ...serviceUninstall,
  examples: ['holdfast worker uninstall', 'holdfast worker uninstall --dry-run'],
  run: async (context, input) => uninstalled(context, (await import('../worker/service.ts')).workerService, input),
});
