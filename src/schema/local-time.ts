// A moment as local clock time.
import { clockText, type Hours } from './clock.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let made = formats.get(timeZone);
  if (!made) {
    made = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(timeZone, made);
  }
  return made;
}

/** `2026-03-01 14:05` or `2026-03-01 02:05 PM`, in the given zone. */
export function localTime(moment: string, timeZone: string, hours: Hours = 24): string {
  const { year, month, day } = partsOf(moment, timeZone);
  return `${year}-${month}-${day} ${clockTime(moment, timeZone, hours)}`;
}

/** `14:05` or `02:05 PM`, in the given zone. */
export function clockTime(moment: string, timeZone: string, hours: Hours): string {
  const { hour, minute } = partsOf(moment, timeZone);
  return clockText(Number(hour), Number(minute), hours);
}

function partsOf(moment: string, timeZone: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  return Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(new Date(moment))
      .map(({ type, value }) => [type, value]),
  );
}
