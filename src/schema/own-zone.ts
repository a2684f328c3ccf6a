// The time zone of this process. In that zone and in UTC, `Date` alone tells the time. Any use of `Intl` makes V8 read the tables of every
// locale, which takes 8 MB until the process ends.
let name: string | undefined;

/** Contract: `zone` is the one that the system clock of this process uses. Undefined: it is not known. */
export function setOwnZone(zone: string | undefined): void {
  name = zone;
}

export const ownZone = (): string | undefined => name;

/** How far the zone's clocks are ahead of UTC, in milliseconds; undefined if only `Intl` knows. */
export function quickOffset(moment: number, timeZone: string): number | undefined {
  if (timeZone === 'UTC') return 0;
  return timeZone === name ? -new Date(moment).getTimezoneOffset() * 60_000 : undefined;
}
