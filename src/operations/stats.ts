// What is kept, what was distilled, and what that has cost.
import { z } from 'zod';
import { Spending } from '../schema/job.ts';
import { operation } from './operation.ts';
import { parseSince } from './when.ts';

export const stats = operation({
  name: 'stats',
  summary: 'Say how much is kept and distilled, and what models have taken for it',
  input: z.object({ since: z.string().min(1).default('30d').describe('count what was spent since then') }),
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
      saved: z.int().describe('tokens less than one call for each tool use would have taken'),
    }),
    models: z.array(Spending.extend({ model: z.string() })),
    days: z.array(Spending.extend({ day: z.string() })),
  }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast stats', 'holdfast stats --since 2026-03-01 --json'],
  async run({ store, config, clock }, { since }) {
    const { limitsAt, dayNames } = await import('../distill/budget.ts');
    const { settings } = config;
    const now = clock();
    const from = parseSince(since, { now, timeZone: settings.timeZone });
    const { dayStart, perDay } = limitsAt(now, settings);
    const dayOf = dayNames(settings.timeZone);
    const [counts, bytes, distilled, { ready, failed }, rows, today] = await Promise.all([
      store.counts(),
      store.size(),
      store.distilledCounts(),
      store.jobCounts(),
      store.spending(from, dayOf),
      store.spending(dayStart, dayOf),
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
      models: by(rows, ({ model }) => model).map(([model, group]) => ({ model, ...sum(group) })),
      days: by(rows, ({ day }) => day).map(([day, group]) => ({ day, ...sum(group) })),
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

function by<T>(rows: readonly T[], key: (row: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups];
}
