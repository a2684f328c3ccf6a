// The health check. It must report even when the store cannot be opened, so it opens the store itself.
import { z } from 'zod';
import { ConversationStatus } from '../../schema/conversation.ts';
import type { Counts } from '../../store/entries/port.ts';
import type { Store } from '../../store/store.ts';
import { explain } from '../../system/errors.ts';
import { checkPause } from '../data/pause.ts';
import { type Context, operation } from '../operation.ts';
import {
  checkAgents,
  checkBackups,
  checkFiles,
  checkMeaning,
  checkPermissions,
  checkRereading,
  checkServers,
  checkSetAside,
  checkStore,
  checkVersions,
  checkWorker,
  folderSize,
} from './checks.ts';

export const Check = z.object({
  name: z.string(),
  ok: z.boolean(),
  message: z.string(),
  hint: z.string().optional(),
  off: z.boolean().optional().describe('true: not in use, and need not be'),
});
export type Check = z.infer<typeof Check>;

const count = z.number().int();

export const doctor = operation({
  name: 'doctor',
  summary: 'Check the health of the data folder, the store, the transcripts and the worker',
  input: z.object({
    security: z.boolean().optional().describe('also check what other users of this machine could reach'),
  }),
  output: z.object({
    ok: z.boolean(),
    checks: z.array(Check),
    counts: z.object({
      files: count,
      entries: count,
      goneEntries: count,
      subagentEntries: count,
      toolUses: count,
      sessions: count,
      projects: count,
      malformed: count,
      conversations: z.record(ConversationStatus, count),
    }),
    disk: z.object({ home: z.string(), database: count, logs: count, backups: count }).describe('bytes'),
  }),
  surfaces: ['cli', 'http'],
  // Checking a large store takes seconds, in which the worker could not answer hooks.
  http: { apart: true },
  examples: ['holdfast doctor', 'holdfast doctor --json', 'holdfast doctor --security'],
  withoutStore: true,
  succeeded: (report) => report.ok,
  async run({ config, clock }: Context<never>, { security }) {
    const { ensureHome } = await import('../../config/config.ts');
    const { openSqliteStore } = await import('../../store/sqlite/open.ts');
    const { backupPlan } = await import('../../store/sqlite/backup-files.ts');
    ensureHome(config);
    let store:
      | Pick<
          Store,
          'admin' | 'close' | 'engine' | 'entries' | 'location' | 'pauses' | 'transcripts' | 'vault' | 'vectors'
        >
      | undefined;
    let counts = noCounts;
    const checks: Check[] = [];
    try {
      store = await openSqliteStore(config.databasePath, undefined, backupPlan(config));
      checks.push(await checkStore(store));
      counts = await store.entries.counts();
      checks.push(
        ...(await checkFiles(store)),
        ...(await checkSetAside(store)),
        ...(await checkRereading(store, config)),
        await checkPause(store),
        await checkMeaning(store, config),
        checkBackups(config),
      );
    } catch (error) {
      const { message, hint } = explain(error, config.databasePath);
      // If the check of the pages has failed, it has said so.
      const isSaid = checks.some(({ name, ok }) => name === 'store' && !ok);
      if (!isSaid) checks.push({ name: 'store', ok: false, message, ...(hint ? { hint } : {}) });
    }
    try {
      // Check while the store is open, so that its side files exist and are checked too.
      checks.unshift(checkPermissions(config));
      checks.push(...checkAgents(config), ...checkServers(config), await checkWorker(config), checkVersions(store));
      if (security) checks.push(...(await (await import('./security-checks.ts')).securityChecks(config, clock())));
      const disk = {
        home: config.home,
        database: (await store?.admin.size()) ?? 0,
        logs: folderSize(`${config.home}/logs`),
        backups: folderSize(`${config.home}/backups`),
      };
      return { ok: checks.every((check) => check.ok), checks, counts, disk };
    } finally {
      await store?.close();
    }
  },
});

const noCounts: Counts = {
  files: 0,
  entries: 0,
  goneEntries: 0,
  subagentEntries: 0,
  toolUses: 0,
  sessions: 0,
  projects: 0,
  malformed: 0,
  conversations: { active: 0, ready: 0, queued: 0, processing: 0, archived: 0, skipped: 0 },
};
