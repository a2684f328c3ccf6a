// How much is stored and distilled, and what distilling has cost.
import { join } from 'node:path';
import { z } from 'zod';
import { Spending } from '../../schema/job.ts';
import { TimeZone } from '../../schema/time-zone.ts';
import { grouped } from '../groups/grouped.ts';
import { folderSize } from '../machine/checks.ts';
import { type Context, operation } from '../operation.ts';
import { parseSince } from './when.ts';

export const stats = operation({
  name: 'stats',
  summary: 'Show how much is stored and distilled, and how many tokens models have used for it',
  input: z.object({
    since: z.string().min(1).default('30d').describe('count what was spent and imported since then'),
    timeZone: TimeZone.optional().describe('time zone of the days (default: that of the settings)'),
  }),
  output: z.object({
    kept: z.object({
      projects: z.int(),
      sessions: z.int(),
      entries: z.int(),
      toolUses: z.int(),
      bytes: z.int().describe('on disk'),
    }),
    distilled: z.object({ observations: z.int(), summaries: z.int(), conversations: z.int() }),
    jobs: z.object({ ready: z.int(), failed: z.int() }),
    today: z.object({ spent: z.int(), budget: z.int() }),
    spent: Spending.extend({
      tokens: z.int(),
      saved: z.int().describe('tokens saved compared with one call per tool use'),
    }),
    models: z.array(Spending.extend({ model: z.string() })),
    days: z.array(Spending.extend({ day: z.string() })),
    daysAndModels: z.array(Spending.extend({ day: z.string(), model: z.string() })),
    imports: z
      .array(
        z.object({
          day: z.string(),
          entries: z.int(),
          bytes: z.int().describe('bytes of transcripts read'),
          seconds: z.number().describe('time to read and store them'),
        }),
      )
      .describe('by the day of the import'),
    disk: z
      .object({
        database: z.int(),
        vault: z.int(),
        memory: z.int(),
        archives: z.int(),
        backups: z.int(),
        logs: z.int(),
      })
      .describe('bytes'),
  }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast stats', 'holdfast stats --since 2026-03-01 --json'],
  async run(
    { store, config, clock }: Context<'admin' | 'distilled' | 'entries' | 'jobs' | 'transcripts' | 'vault'>,
    { since, timeZone = config.settings.timeZone },
  ) {
    const { limitsAt, dayNames } = await import('../../distill/budget.ts');
    const { settings } = config;
    const now = clock();
    const from = parseSince(since, { now, timeZone });
    const { dayStart, perDay } = limitsAt(now, settings);
    const dayOf = dayNames(timeZone);
    const [counts, bytes, distilled, { ready, failed }, rows, today, imports, copies] = await Promise.all([
      store.entries.counts(),
      store.admin.size(),
      store.distilled.counts(),
      store.jobs.counts(),
      store.jobs.spending(from, dayOf),
      store.jobs.spending(dayStart, dayOf),
      store.transcripts.imports(from, dayOf),
      store.vault.copies(),
    ]);
    const { projects, sessions, entries, toolUses, conversations } = counts;
    const all = sum(rows);
    const tokens = all.inputTokens + all.outputTokens;
    return {
      kept: { projects, sessions, entries, toolUses, bytes },
      distilled: { ...distilled, conversations: conversations.archived },
      jobs: { ready, failed },
      today: { spent: tokensOf(sum(today)), budget: perDay },
      spent: { ...all, tokens, saved: Math.max(0, all.insteadOf - tokens) },
      models: grouped(rows, ({ model }) => model).map(([model, group]) => ({ model, ...sum(group) })),
      days: grouped(rows, ({ day }) => day).map(([day, group]) => ({ day, ...sum(group) })),
      daysAndModels: [...rows],
      imports: imports.map(({ ms, ...rest }) => ({ ...rest, seconds: ms / 1000 })),
      disk: {
        database: bytes,
        vault: copies.reduce((all, copy) => all + copy.bytes, 0),
        memory: folderSize(config.memoryPath),
        archives: folderSize(config.archivePath),
        backups: folderSize(join(config.home, 'backups')),
        logs: folderSize(join(config.home, 'logs')),
      },
    };
  },
});

const tokensOf = ({ inputTokens, outputTokens }: Spending): number => inputTokens + outputTokens;

const sum = (rows: readonly Spending[]): Spending =>
  rows.reduce(
    (all, row) => ({
      calls: all.calls + row.calls,
      inputTokens: all.inputTokens + row.inputTokens,
      outputTokens: all.outputTokens + row.outputTokens,
      insteadOf: all.insteadOf + row.insteadOf,
    }),
    { calls: 0, inputTokens: 0, outputTokens: 0, insteadOf: 0 },
  );
