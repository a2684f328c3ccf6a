import { expect, it } from 'vitest';
import { clockText, hoursOf } from './clock.ts';
import { clockTime, localTime } from './local-time.ts';

it('the clock follows the locale, unless the person sets it', () => {
  expect(hoursOf('auto', 'en-US')).toBe(12);
  expect(hoursOf('auto', 'de-DE')).toBe(24);
  expect(hoursOf('auto', 'en-GB')).toBe(24);
  expect(hoursOf('24', 'en-US')).toBe(24);
  expect(hoursOf('12', 'de-DE')).toBe(12);
  expect(hoursOf('12', undefined)).toBe(12);
});

it('the clock has 24 hours without a locale, and with one that does not exist', () => {
  for (const locale of [undefined, 'tlh-KX', '!', 'x'.repeat(100_000)]) expect(hoursOf('auto', locale)).toBe(24);
});

it('midnight and noon are twelve on a clock of 12 hours', () => {
  expect([0, 1, 11, 12, 13, 23].map((hour) => clockText(hour, 5, 12))).toEqual([
    ...['12:05 AM', '01:05 AM', '11:05 AM'],
    ...['12:05 PM', '01:05 PM', '11:05 PM'],
  ]);
  expect([0, 12, 23].map((hour) => clockText(hour, 5, 24))).toEqual(['00:05', '12:05', '23:05']);
});

it('a moment is shown in its zone, on either clock', () => {
  const moment = '2026-03-01T23:05:00.000Z';
  expect(localTime(moment, 'UTC')).toBe('2026-03-01 23:05');
  expect(localTime(moment, 'Europe/Berlin', 12)).toBe('2026-03-02 12:05 AM');
  expect(clockTime(moment, 'America/New_York', 12)).toBe('06:05 PM');
});
