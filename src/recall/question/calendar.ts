// Days as a person says them, in the configured time zone.

export interface Calendar {
  /** `2026-03-01`, or `today 14:05` and `yesterday 09:30`. */
  day(at: number): string;
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

/** Dates that stay true whenever they are read. */
export const dates = (timeZone: string): Calendar => ({
  day: (at) => formatOf(timeZone).format(at).slice(0, 'YYYY-MM-DD'.length),
});

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
  };
}
