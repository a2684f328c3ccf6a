// Days in the browser's time zone: `2026-03-01`. The browser computes midnights, so days of 23 and 25 hours are right.
export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

const two = (value: number): string => String(value).padStart(2, '0');
const nameOf = (date: Date): string =>
  `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
const dateOf = (day: string, shift = 0): Date => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + shift);
};

/** A day from an address. Undefined if the text is not a day. */
export const asDay = (text: string | null): string | undefined =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && nameOf(dateOf(text)) === text ? text : undefined;

/** A moment from an address. Undefined if the text is not a moment. */
export const asMoment = (text: string | null): string | undefined =>
  text === null || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();

export const today = (): string => nameOf(new Date());
export const addDays = (day: string, days: number): string => nameOf(dateOf(day, days));
/** 1 is Monday. */
export const weekdayOf = (day: string): number => dateOf(day).getDay() || 7;
export const mondayOf = (day: string): string => addDays(day, 1 - weekdayOf(day));
/** The midnight at which the day begins. */
export const startOf = (day: string): string => dateOf(day).toISOString();
/** The days as a range of moments. */
export const spanOf = (from: string, to = from) => ({ since: startOf(from), until: startOf(addDays(to, 1)) });

const format = (options: Intl.DateTimeFormatOptions) => {
  let made: Intl.DateTimeFormat | undefined;
  return (day: string): string => {
    made ??= new Intl.DateTimeFormat(undefined, options);
    return made.format(dateOf(day));
  };
};
export const shortDay = format({ weekday: 'short', day: 'numeric', month: 'short' });
export const shortDate = format({ day: 'numeric', month: 'short' });
export const fullDay = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
export const fullDate = format({ day: 'numeric', month: 'short', year: 'numeric' });
export const monthName = format({ month: 'short' });
const weekdayShort = format({ weekday: 'short' });
/** 1 is Monday. */
export const weekdayName = (weekday: number): string => weekdayShort(addDays('2026-03-01', weekday));
