// A moment as local clock time.
import { clockText, type Hours } from './clock.ts';
import { civilText } from './day.ts';

/** `2026-03-01 14:05` or `2026-03-01 02:05 PM`, in the given zone. */
export function localTime(moment: string, timeZone: string, hours: Hours = 24): string {
  const [date] = partsOf(moment, timeZone);
  return `${date} ${clockTime(moment, timeZone, hours)}`;
}

/** `14:05` or `02:05 PM`, in the given zone. */
export function clockTime(moment: string, timeZone: string, hours: Hours): string {
  const [, hour, minute] = partsOf(moment, timeZone);
  return clockText(Number(hour), Number(minute), hours);
}

const partsOf = (moment: string, timeZone: string): string[] => civilText(Date.parse(moment), timeZone).split(/[T:]/);
