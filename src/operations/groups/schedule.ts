// When a scheduled task is due: by a cron expression, at an interval, or once.
import { Cron } from 'croner';
import type { ScheduledTask, TaskKind } from '../../schema/task.ts';
import { toMoment } from '../../schema/time.ts';
import { HoldfastError } from '../../system/errors.ts';
import { parseSince } from '../recall/when.ts';

export interface Schedule {
  readonly kind: TaskKind;
  readonly when: string;
  readonly timeZone: string;
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** More often than this, a group's agent would do nothing else. */
const shortest = 10_000;

/** Turns what was typed into a schedule and its first due time. Throws BAD_INPUT. */
export function parseSchedule(
  kind: TaskKind,
  text: string,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): Schedule & { readonly next: number } {
  const typed = text.trim();
  const schedule = { kind, when: kind === 'cron' ? typed : String(normal(kind, typed, { now, timeZone })), timeZone };
  if (kind === 'once') {
    const next = Date.parse(schedule.when);
    if (next <= now) throw bad(`${typed} is in the past`, 'Name a moment in the future.');
    return { ...schedule, next };
  }
  if (kind === 'cron') refuseSeconds(typed);
  const next = nextAfter(schedule, now);
  if (next === undefined) throw bad(`${JSON.stringify(typed)} never happens`, examples.cron);
  return { ...schedule, next };
}

/** The first moment after `now`. `due` is the last due time: intervals count from it, so they do not drift. */
export function nextAfter({ kind, when, timeZone }: Schedule, now: number, due: number = now): number | undefined {
  if (kind === 'once') return undefined;
  if (kind === 'cron') return cron(when, timeZone).nextRun(new Date(now))?.getTime();
  const every = Number(when);
  return due + (Math.floor(Math.max(0, now - due) / every) + 1) * every;
}

export const nextOf = ({ nextAt, ...task }: ScheduledTask, now: number): number | undefined =>
  nextAfter(task, now, nextAt === undefined ? now : Date.parse(nextAt));

function normal(kind: TaskKind, typed: string, at: { readonly now: number; readonly timeZone: string }) {
  if (kind === 'once') {
    if (!/^\d{4}-/.test(typed)) throw bad(`${JSON.stringify(typed)} is not a moment`, examples.once);
    return toMoment(parseSince(typed, at, 'The moment'));
  }
  const [, count = '', unit] = /^(\d{1,12})\s*([smhd]?)$/.exec(typed) ?? [];
  const every = Number(count) * (unit ? units[unit as keyof typeof units] : 1);
  if (count === '' || every < shortest || every > 3650 * units.d)
    throw bad(`${JSON.stringify(typed)} is not an interval`, examples.interval);
  return every;
}

/** Five fields, or `@daily` and the like. A sixth field, for seconds, would allow a task every second. */
function refuseSeconds(pattern: string): void {
  if (!/^(?:@\w+|\S+(?:\s+\S+){4})$/.test(pattern))
    throw bad(`${JSON.stringify(pattern)} is not a cron expression of five fields`, examples.cron);
}

function cron(pattern: string, timeZone: string): Cron {
  try {
    return new Cron(pattern, { timezone: timeZone, paused: true });
  } catch (error) {
    throw bad(`${JSON.stringify(pattern)} is not a cron expression: ${(error as Error).message}`, examples.cron);
  }
}

const examples = {
  cron: 'Minute, hour, day, month, weekday: "0 9 * * 1-5" is nine o\'clock on working days.',
  interval: 'Examples: 90s, 30m, 2h, 1d, or milliseconds; at least 10s.',
  once: 'Examples: 2026-03-01T14:30, 2026-03-01T14:30Z.',
} as const;

const bad = (message: string, hint: string): HoldfastError => new HoldfastError('BAD_INPUT', message, { hint });
