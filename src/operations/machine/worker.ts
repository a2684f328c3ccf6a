// Commands that start, stop, describe and install the worker.
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type Config, ensureHome } from '../../config/config.ts';
import { HttpState } from '../../schema/http-state.ts';
import { Moment } from '../../schema/time.ts';
import { pausedSince } from '../data/pause.ts';
import { type Context, operation } from '../operation.ts';
import { programsOf } from '../programs.ts';
import { installed, serviceInstall, serviceUninstall, uninstalled } from './service.ts';

export const workerRun = operation({
  name: 'worker run',
  ending: 'timed',
  summary: 'Watch for new transcripts in the foreground, until Ctrl+C',
  input: z.object({}),
  output: z.object({ stopped: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast worker run'],
  async run(context: Context) {
    await programsOf(context).worker(context);
    return { stopped: true };
  },
});

export const workerStart = operation({
  name: 'worker start',
  summary: 'Start the worker in the background',
  input: z.object({}),
  output: z.object({ pid: z.number().int(), alreadyRunning: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast worker start'],
  withoutStore: true,
  async run({ config }: Context<never>) {
    ensureHome(config);
    const { startWorker } = await import('../../processes/worker-process.ts');
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
  async run({ config }: Context<never>) {
    const { stopWorker } = await import('../../processes/worker-process.ts');
    return stopWorker(config);
  },
});

export const workerStatus = operation({
  name: 'worker status',
  summary: 'Show whether the worker runs and can be reached',
  input: z.object({}),
  output: z.object({
    running: z.boolean(),
    pid: z.number().int().optional(),
    since: z.string().optional(),
    version: z.string().optional(),
    http: HttpState,
    pausedSince: Moment.optional().describe('when the current pause of capture began'),
  }),
  surfaces: ['cli'],
  examples: ['holdfast worker status', 'holdfast worker status --json'],
  withoutStore: true,
  async run({ config }: Context<never>) {
    const [{ workerStatus: statusOf }, { httpState }] = await Promise.all([
      import('../../processes/worker-process.ts'),
      import('../../processes/access/reach.ts'),
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
      import('../../store/sqlite/open.ts'),
      import('../../store/sqlite/backup-files.ts'),
    ]);
    const store = await openSqliteStore(config.databasePath, undefined, backupPlan(config));
    try {
      return await pausedSince(store);
    } finally {
      await store.close();
    }
  } catch {
    // `holdfast doctor` reports a store that cannot be opened; this is a question about the worker.
    return undefined;
  }
}

export const workerInstall = operation({
  name: 'worker install',
  summary: "Let your system's service manager run the worker: systemd, or launchd",
  ...serviceInstall,
  examples: ['holdfast worker install', 'holdfast worker install --dry-run'],
  run: async (context: Context<never>, input) =>
    installed(context, (await import('../../processes/worker-service.ts')).workerService, input),
});

export const workerUninstall = operation({
  name: 'worker uninstall',
  summary: 'Remove the worker from the service manager completely',
  ...serviceUninstall,
  examples: ['holdfast worker uninstall', 'holdfast worker uninstall --dry-run'],
  run: async (context: Context<never>, input) =>
    uninstalled(context, (await import('../../processes/worker-service.ts')).workerService, input),
});
