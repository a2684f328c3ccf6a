// Composes the worker: it takes the claim, opens its HTTP port, and runs its chores until the signal stops it.
import { fstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { startingName } from '../agents/hooks.ts';
import type { LiveDeps } from '../capture/live/hook.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../operations/operation.ts';
import { program } from '../package.ts';
import type { IngestReport } from '../schema/ingest-report.ts';
import { guardWhileBusy } from '../surfaces/cli/ending.ts';
import { explain } from '../system/errors.ts';
import type { WorkerDeps } from './worker/run.ts';

/** Runs as the worker until the signal says stop. If there is a worker already, only says so. */
export async function runAsWorker(context: Context): Promise<void> {
  const { claimWorker } = await import('../processes/worker-process.ts');
  const { config } = context;
  // Taken before anything is said or awaited: a file that takes its place later must not pass for the opened one.
  const opened = inodeOf(config.databasePath);
  const claim = await claimWorker(config);
  // The hook that started this worker no longer has to keep other hooks from starting one.
  rmSync(join(config.home, startingName), { force: true });
  if (claim.other !== undefined) {
    context.say?.(`A worker is watching already (process ${claim.other}).`);
    await sayAddress(context);
    return;
  }
  try {
    const [
      { runWorker },
      { ofImport, workInProgress },
      { ingestApart, processApart, runApart },
      { startHttp },
      { openLog },
    ] = await Promise.all([
      import('./worker/run.ts'),
      import('./worker/work.ts'),
      import('../processes/apart.ts'),
      import('../surfaces/http/server.ts'),
      import('../system/log.ts'),
    ]);
    const write = openLog(config.logPath);
    // In the background, standard output goes to the log as well. Each line should be there once.
    const say = isOutput(config.logPath) ? undefined : context.say;
    const log = (line: string) => {
      write(line);
      say?.(line);
    };
    write(`worker ${process.pid} started`);
    say?.('Watching for new transcripts. Ctrl+C stops; nothing is lost.');
    // Not awaited, so that the first session does not wait for it.
    setTimeout(() => void mendInstalled(config, log), 1000).unref();
    // A worker whose data folder was removed would keep the port from the next one forever.
    const orphaned = new AbortController();
    const look = () => {
      if (claim.lost()) return orphaned.abort();
      const now = inodeOf(config.databasePath);
      if (now === opened || now === undefined) return;
      // Further writes would go into a file that no other process sees.
      log(`${config.databasePath} was replaced: the worker ends, and the next one opens the new file`);
      orphaned.abort();
    };
    setInterval(look, config.settings.pollIntervalMs).unref();
    const signal = AbortSignal.any([orphaned.signal, ...(context.signal ? [context.signal] : [])]);
    const work = workInProgress(Date.now);
    const scan = () =>
      work.during('import', (report) =>
        ingestApart({ config, signal, progress: (progress) => report(ofImport(progress)) }),
      );
    const reread = () =>
      runApart<IngestReport>(['ingest', '--renew', '--later'], 'Reading again', { config, signal, background: true });
    const distil = () =>
      work.during('distill', (report) =>
        processApart({ config, signal, progress: ({ jobs, totalJobs }) => report({ done: jobs, total: totalJobs }) }),
      );
    const backUp = () =>
      work.during('backup', () =>
        runApart<{ file: string; why?: string }>(['backup', '--rotate'], 'The copy', {
          config,
          signal,
          background: true,
        }),
      );
    const count = () => runApart(['sessions', 'count'], 'Counting tokens', { config, signal, background: true });
    const exchange = () =>
      runApart<Awaited<ReturnType<NonNullable<WorkerDeps['exchange']>>>>(['hub', 'sync'], 'The exchange with the hub', {
        config,
        signal,
        background: true,
      });
    const apart = (words: readonly string[]) => runApart(words, `holdfast ${words.join(' ')}`, { config, signal });
    const listen = async (live: LiveDeps & Pick<Context, 'store'>) => {
      context.meaning?.leaveReading();
      const onPrompt = pastOf(context);
      const server = await startHttp({ ...live, meaning: context.meaning, apart, log, work, onPrompt });
      // Never into the log: the address opens the memory.
      if (say) await sayAddress(context);
      return server;
    };
    const { keepHeapSmall } = await import('../system/heap.ts');
    keepHeapSmall();
    const computes = guardWhileBusy();
    const { dropHeld, hearForgotten } = await import('../operations/data/forgotten-bell.ts');
    const forgetting = hearForgotten(config, () => void dropHeld(context.store));
    const apartFrom = { scan, reread, distil, backUp, count, exchange };
    const deps = { ...context, ...apartFrom, progress: undefined, log, listen, work, computes };
    await runWorker(deps, signal).finally(forgetting.close);
    write(`worker ${process.pid} stopped`);
  } finally {
    claim.release();
  }
}

/** Only at a terminal: output through a pipe may end in a journal that others read. */
async function sayAddress({ config, clock, say }: Context): Promise<void> {
  if (!isatty(1)) {
    const { loadConfig } = await import('../config/config.ts');
    // The sample has a data folder of its own, which the next command must be told.
    const elsewhere = loadConfig().home === config.home ? '' : `HOLDFAST_HOME=${config.home} `;
    return say?.(`To look at it in your browser: ${elsewhere}${program()} open`);
  }
  const { viewerAddress } = await import('../operations/machine/open.ts');
  say?.(`Look at it in your browser: ${await viewerAddress(config, clock())}`);
}

/** What the past knows about a prompt, if the person turned that on. They may have done so after the worker started. */
function pastOf(context: Context): LiveDeps['onPrompt'] {
  return async (...said) =>
    (await import('../operations/recall/briefing.ts')).recallFor(
      { ...context, config: context.config.reload() },
      ...said,
    );
}

/** Updates hooks that an older version put into an agent's settings. */
async function mendInstalled(config: Config, log: (line: string) => void): Promise<void> {
  try {
    const { hooked } = await import('../operations/machine/install.ts');
    const { mendHooks } = await import('../install/hooks.ts');
    const { mendMcp } = await import('../install/mcp.ts');
    // The settings may have changed since the start: the current ones count.
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
