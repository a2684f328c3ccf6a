// Days as a person says them, by the clock of the configured zone.

export interface Calendar {
  /** `2026-03-01`, or `today 14:05` and `yesterday 09:30`. */
  day(at: number): string;
  /** `3 days ago`. */
  ago(at: number): string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const two = '2-digit' as const;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
  });
  formats.set(timeZone, made);
  return made;
}

const units: readonly (readonly [string, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

export function calendar(now: number, timeZone: string): Calendar {
  const format = formatOf(timeZone);
  const clockAt = (at: number): { date: string; time: string } => {
    const [date = '', time = ''] = format.format(at).split(', ');
    return { date, time };
  };
  const today = clockAt(now).date;
  const yesterday = clockAt(now - 86_400_000).date;
  return {
    day(at) {
      const { date, time } = clockAt(at);
      return date === today ? `today ${time}` : date === yesterday ? `yesterday ${time}` : date;
    },
    ago(at) {
      for (const [unit, length] of units) {
        const count = Math.floor((now - at) / length);
        // Two of the smaller unit say more than one of the larger: 10 days, not one week.
        if (count >= (unit === 'day' || unit === 'hour' || unit === 'minute' ? 1 : 2))
          return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
      }
      return 'just now';
    },
  };
}
