// Dates as people type them → a moment. Days begin at midnight in the configured time zone.

import { atCivil, civilOf, dayOf, oneDay } from '../../schema/day.ts';
import { HoldfastError } from '../../system/errors.ts';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export interface Now {
  readonly now: number;
  readonly timeZone: string;
}

interface Span {
  readonly from: number;
  /** The first moment after the span. */
  readonly to: number;
}

/** The first moment included: `2026-03-01` is its midnight, `3d` is three days ago. */
export const parseSince = (text: string, at: Now, option = '--since'): number => parse(text, option, at).from;

/** The first moment excluded: `2026-03-01` is the midnight at its end. */
export const parseUntil = (text: string, at: Now): number => parse(text, '--until', at).to;

/** One whole day. */
export function parseDay(text: string, at: Now, option = '<date>'): Span {
  const { from, to } = parse(text, option, at);
  if (to - from > 1.5 * oneDay)
    throw new HoldfastError('BAD_INPUT', `${option} must be one day, but ${JSON.stringify(text)} is longer`, {
      hint: 'Examples: 2026-03-01, monday, yesterday.',
    });
  return dayOf(from, 0, at.timeZone);
}

function parse(text: string, option: string, at: Now): Span {
  const word = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const meant = ago(word, at) ?? exact(word, at) ?? named(word, at);
  if (meant !== undefined) return meant;
  throw new HoldfastError('BAD_INPUT', `${option} cannot be understood: ${JSON.stringify(text)}`, {
    hint: 'Examples: 2026-03-01, 2026-03-01T14:30, 2026-03, 30m, 12h, 3d, 2w, today, yesterday, monday, last week, march, march 2026.',
  });
}

const longUnits = { minute: 'm', hour: 'h', day: 'd', week: 'w' } as const;

/** A length of time before now: `3d`, `3 days ago`, `2 months ago`. */
function ago(word: string, { now, timeZone }: Now): Span | undefined {
  if (word === 'now') return { from: now, to: now };
  const said = /^(\d{1,6}) ?(m|h|d|w|minutes?|hours?|days?|weeks?|months?|years?)(?: ago)?$/.exec(word);
  if (said === null) return undefined;
  const [count, unit = ''] = [Number(said[1]), said[2]?.replace(/s$/, '')];
  if (unit === 'month' || unit === 'year') {
    const date = new Date(civilOf(now, timeZone));
    const months = Math.min(count * (unit === 'year' ? 12 : 1), 12_000);
    const moment = atCivil(date.setUTCMonth(date.getUTCMonth() - months), timeZone);
    return { from: Math.max(0, moment), to: Math.max(0, moment) };
  }
  const length = units[(longUnits[unit as keyof typeof longUnits] ?? unit) as keyof typeof units];
  // Clamp at the epoch: no entry is older.
  const moment = Math.max(0, now - count * length);
  return { from: moment, to: moment };
}

/** A date in digits: a moment, a day, a month or a year. */
function exact(word: string, { timeZone }: Now): Span | undefined {
  const month = /^(\d{4})(?:-(\d\d))?$/.exec(word);
  if (month !== null && (month[2] === undefined || (Number(month[2]) >= 1 && Number(month[2]) <= 12))) {
    const [year, first] = [Number(month[1]), Number(month[2] ?? 1) - 1];
    const last = month[2] === undefined ? 12 : first + 1;
    return civilSpan(Date.UTC(year, first), Date.UTC(year, last), timeZone);
  }
  const date = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?(z|[+-]\d\d:?\d\d)?$/.exec(word);
  if (date === null) return undefined;
  const [year, monthOfYear, day, hour = 0, minute = 0, second = 0] = date
    .slice(1, 7)
    .map((part) => Number(part ?? 0)) as [number, number, number, number?, number?, number?];
  const civil = Date.UTC(year, monthOfYear - 1, day, hour, minute, second);
  const exists = new Date(civil).toISOString().startsWith(`${date[1]}-${date[2]}-${date[3]}`);
  const timed = date[4] !== undefined;
  if (!exists || hour > 23 || minute > 59 || second > 59 || (!timed && date[7] !== undefined)) return undefined;
  if (!timed) return civilSpan(civil, civil + oneDay, timeZone);
  const moment = date[7] === undefined ? atCivil(civil, timeZone) : Date.parse(word.toUpperCase().replace(' ', 'T'));
  return Number.isNaN(moment) ? undefined : { from: moment, to: moment };
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = 'january february march april may june july august september october november december'.split(' ');

/** The whole name, or at least its first three letters. */
const placeOf = (names: readonly string[], word: string | undefined): number =>
  word === undefined || word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word.replace(/\.$/, '')));

/** A day, week, month or year by name. If it could be in the future, the latest past one is meant. */
function named(word: string, { now, timeZone }: Now): Span | undefined {
  if (word === 'today') return dayOf(now, 0, timeZone);
  if (word === 'yesterday') return dayOf(now, -1, timeZone);
  const today = Math.floor(civilOf(now, timeZone) / oneDay) * oneDay;
  const weekday = placeOf(weekdays, /^(?:last )?([a-z]+)$/.exec(word)?.[1]);
  if (weekday >= 0) {
    const back = (new Date(today).getUTCDay() - weekday + 7) % 7 || (word.startsWith('last ') ? 7 : 0);
    return civilSpan(today - back * oneDay, today - (back - 1) * oneDay, timeZone);
  }
  const around = /^(this|last) (week|month|year)$/.exec(word);
  if (around !== null)
    return period(around[2] as 'week' | 'month' | 'year', around[1] === 'last' ? -1 : 0, today, timeZone);
  return ofMonth(word, today, timeZone);
}

function period(unit: 'week' | 'month' | 'year', shift: number, today: number, timeZone: string): Span {
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === 'year') return civilSpan(Date.UTC(year + shift, 0), Date.UTC(year + shift + 1, 0), timeZone);
  if (unit === 'month') return civilSpan(Date.UTC(year, month + shift), Date.UTC(year, month + shift + 1), timeZone);
  const monday = today - ((date.getUTCDay() + 6) % 7) * oneDay + shift * 7 * oneDay;
  return civilSpan(monday, monday + 7 * oneDay, timeZone);
}

/** `march`, `march 2026`, `12 march`, `march 12 2026`. */
function ofMonth(word: string, today: number, timeZone: string): Span | undefined {
  const said = /^(?:(\d{1,2}) )?([a-z]{3,9}\.?)(?: (\d{1,2}))?(?:,? (\d{4}))?$/.exec(word);
  const month = placeOf(months, said?.[2]);
  if (said === null || month < 0 || (said[1] !== undefined && said[3] !== undefined)) return undefined;
  const day = Number(said[1] ?? said[3] ?? 1);
  const isDay = (said[1] ?? said[3]) !== undefined;
  const thisYear = new Date(today).getUTCFullYear();
  const year = said[4] === undefined ? thisYear - (Date.UTC(thisYear, month, day) > today ? 1 : 0) : Number(said[4]);
  const first = Date.UTC(year, month, day);
  if (new Date(first).getUTCMonth() !== month) return undefined;
  return civilSpan(first, isDay ? first + oneDay : Date.UTC(year, month + 1), timeZone);
}

const civilSpan = (from: number, to: number, timeZone: string): Span => ({
  from: atCivil(from, timeZone),
  to: atCivil(to, timeZone),
});
