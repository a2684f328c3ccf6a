// Times in words, in the browser's time zone.
import { type Clock, clockText, type Hours, hoursOf } from '../../schema/clock.ts';
import { clockTime } from '../../schema/local-time.ts';
import { timeZone } from './days.ts';

const [aMinute, anHour, aDay] = [60_000, 3_600_000, 86_400_000];
/** Made on first use: making all fifteen formats would take longer than the rest of the start. */
const dates = (options: Intl.DateTimeFormatOptions) => {
  let made: Intl.DateTimeFormat | undefined;
  return (at: string): string => {
    made ??= new Intl.DateTimeFormat(undefined, options);
    return made.format(new Date(at));
  };
};
const day = dates({ day: 'numeric', month: 'short' });
const dayAndYear = dates({ day: 'numeric', month: 'short', year: 'numeric' });
let relative: Intl.RelativeTimeFormat | undefined;

/** `3 minutes ago`, `yesterday`, `12 Mar`. */
export function ago(at: string, now = Date.now()): string {
  const past = now - Date.parse(at);
  if (Math.abs(past) < aMinute) return 'just now';
  if (past >= 7 * aDay) return dateOf(at, now);
  relative ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  if (Math.abs(past) >= aDay) return relative.format(dayOf(Date.parse(at)) - dayOf(now), 'day');
  const [unit, length] = Math.abs(past) >= anHour ? (['hour', anHour] as const) : (['minute', aMinute] as const);
  return relative.format(-Math.trunc(past / length), unit);
}

/** The number of a calendar day: yesterday is the day before today, whether that is 25 hours ago or 47. */
function dayOf(moment: number): number {
  const date = new Date(moment);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / aDay;
}

export const dateOf = (at: string, now = Date.now()): string =>
  (new Date(at).getFullYear() === new Date(now).getFullYear() ? day : dayAndYear)(at);
/** `Thursday, 12 February 2026`. */
export const dayName = dates({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

let hours: Hours | undefined;
/** The worker says which clock the person has set. `auto` is that of the browser's locale. */
export function setClock(clock: Clock): void {
  hours = hoursOf(clock, new Intl.DateTimeFormat().resolvedOptions().locale);
}
const hoursShown = (): Hours => {
  if (hours === undefined) setClock('auto');
  return hours ?? 24;
};

/** `14:05` or `02:05 PM`, as the command line has it. */
export const clockOf = (at: string): string => clockTime(at, timeZone, hoursShown());
/** A full hour: `14:00` or `02:00 PM`. */
export const hourName = (hour: number): string => clockText(hour, 0, hoursShown());
/** A full hour, short: `14` or `2 PM`. */
export const hourShort = (hour: number): string =>
  hoursShown() === 24 ? `${hour}` : `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`;

const exactForms = {
  12: dates({ dateStyle: 'full', timeStyle: 'long', hourCycle: 'h12' }),
  24: dates({ dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' }),
};
export const exactly = (at: string): string => exactForms[hoursShown()](at);

/** `12 min`, `3 h 20 min`. */
export function lasted(from: string, to: string): string {
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

export const number = (value: number): string => value.toLocaleString();
const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
/** `1.2 MB`. */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  while (Math.round(value) >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
let compactly: Intl.NumberFormat | undefined;
/** `12K`. */
export function compact(value: number): string {
  compactly ??= new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
  return compactly.format(value);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;
