// Days in a time zone, including those of 23 and 25 hours.
import { quickOffset } from './own-zone.ts';

export const oneDay = 86_400_000;

/** The day of a moment in a time zone, or the day `shift` days from it. */
export function dayOf(now: number, shift: number, timeZone: string): { from: number; to: number } {
  const civil = now + offset(now, timeZone);
  const midnight = civil - (((civil % oneDay) + oneDay) % oneDay) + shift * oneDay;
  return { from: atCivil(midnight, timeZone), to: atCivil(midnight + oneDay, timeZone) };
}

/** The moment at which clocks in the zone show a time. The second pass is for days on which the clocks change. */
export function atCivil(civil: number, timeZone: string): number {
  const guess = civil - offset(civil, timeZone);
  return civil - offset(guess, timeZone);
}

/** What clocks in the zone show at a moment, as if it were UTC. */
export const civilOf = (moment: number, timeZone: string): number => moment + offset(moment, timeZone);

/** `2026-03-01T14:05`: what clocks in the zone show at a moment. */
export const civilText = (moment: number, timeZone: string): string =>
  new Date(civilOf(moment, timeZone)).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);

/** How far the zone's clocks are ahead of UTC, in milliseconds. */
export function offset(moment: number, timeZone: string): number {
  const quick = quickOffset(moment, timeZone);
  if (quick !== undefined) return quick;
  const parts = formatOf(timeZone).formatToParts(moment);
  const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const civil = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'));
  return civil - Math.floor(moment / 1000) * 1000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Cached: creating it takes a hundred times as long as using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, made);
  return made;
}
