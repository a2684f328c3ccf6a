// Activity over time: whole days, in the person's time zone.
import { z } from 'zod';
import { Activity, type Amount } from '../../schema/activity.ts';
import { civilOf, dayOf, oneDay } from '../../schema/day.ts';
import { TimeZone } from '../../schema/time-zone.ts';
import type { QuarterOfSession } from '../../store/entries/port.ts';
import { HoldfastError } from '../../system/errors.ts';
import { grouped } from '../groups/grouped.ts';
import { type Context, operation } from '../operation.ts';
import { type Filters, filterFields, toFilter } from './filters.ts';

/** Ten years: no real question needs more, and each day is a row. */
const mostDays = 3660;

export const activity = operation({
  name: 'activity',
  summary: 'Count entries, prompts and sessions by day, by hour of the week and by project',
  input: z.object({
    ...filterFields,
    since: filterFields.since
      .unwrap()
      .default('365d')
      .describe('from this day on: 2026-03-01, 2026-03, 30d, 12w, monday, last month'),
    timeZone: TimeZone.optional().describe('time zone of days and hours (default: that of the settings)'),
  }),
  output: Activity,
  surfaces: ['cli', 'http'],
  examples: [
    'holdfast activity',
    'holdfast activity --project . --since 30d',
    'holdfast activity --since 2026-03-01 --json',
  ],
  run: activityOf,
});

export async function activityOf(
  context: Context<'entries' | 'projects'>,
  input: Filters & { readonly timeZone?: string | undefined },
): Promise<Activity> {
  const { store, clock, config } = context;
  const { timeZone = config.settings.timeZone } = input;
  const inZone = { ...context, config: { ...config, settings: { ...config.settings, timeZone } } };
  const filter = await toFilter(inZone, input);
  const since = dayOf(filter.since ?? clock(), 0, timeZone).from;
  // The last moment asked for decides which day is the last.
  const until = dayOf((filter.until ?? clock() + 1) - 1, 0, timeZone).to;
  if (until - since > mostDays * oneDay)
    throw new HoldfastError('BAD_INPUT', `More than ${mostDays} days were asked for`, {
      hint: 'Give a later --since.',
    });
  const quarters = until <= since ? [] : await store.entries.activity({ ...filter, since, until });
  return {
    timeZone,
    from: dayName(since, timeZone),
    to: dayName(until - 1, timeZone),
    ...counted(quarters, timeZone),
  };
}

const dayName = (moment: number, timeZone: string): string =>
  new Date(civilOf(moment, timeZone)).toISOString().slice(0, 10);

type Counted = Pick<Activity, 'total' | 'days' | 'hours' | 'projects'>;

function counted(quarters: readonly QuarterOfSession[], timeZone: string): Counted {
  const clocks = new Map<number, { day: string; weekday: number; hour: number }>();
  const clockAt = (at: number) => {
    const known = clocks.get(at);
    if (known !== undefined) return known;
    const shown = new Date(civilOf(at, timeZone));
    const made = { day: shown.toISOString().slice(0, 10), weekday: shown.getUTCDay() || 7, hour: shown.getUTCHours() };
    clocks.set(at, made);
    return made;
  };
  const days = by(quarters, ({ at }) => clockAt(at).day);
  const hours = by(quarters, ({ at }) => `${clockAt(at).weekday} ${String(clockAt(at).hour).padStart(2, '0')}`);
  const projects = by(
    quarters.filter(({ project }) => project.path !== ''),
    ({ project }) => project.path,
  );
  return {
    total: amount(quarters),
    days: days.map(([day, group]) => ({ day, ...amount(group) })),
    hours: hours.map(([key, group]) => ({ weekday: Number(key[0]), hour: Number(key.slice(2)), ...amount(group) })),
    projects: projects
      .map(([path, group]) => ({ name: group[0]?.project.name ?? '', path, ...amount(group) }))
      .sort((a, b) => b.entries - a.entries),
  };
}

const amount = (group: readonly QuarterOfSession[]): Amount => ({
  entries: group.reduce((sum, one) => sum + one.entries, 0),
  prompts: group.reduce((sum, one) => sum + one.prompts, 0),
  sessions: new Set(group.map(({ session }) => session)).size,
});

/** In the order of the keys. */
const by = <T>(rows: readonly T[], keyOf: (row: T) => string): [string, T[]][] =>
  grouped(rows, keyOf).sort(([a], [b]) => (a < b ? -1 : 1));
