// Days as a person says them, in the configured time zone.
import { civilText } from '../../schema/day.ts';

export interface Calendar {
  /** `2026-03-01`, or `today 14:05` and `yesterday 09:30`. */
  day(at: number): string;
}

/** Dates that stay true whenever they are read. */
export const dates = (timeZone: string): Calendar => ({
  day: (at) => civilText(at, timeZone).slice(0, 'YYYY-MM-DD'.length),
});

export function calendar(now: number, timeZone: string): Calendar {
  const clockAt = (at: number): { date: string; time: string } => {
    const [date = '', time = ''] = civilText(at, timeZone).split('T');
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
