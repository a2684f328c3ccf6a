import { describe, expect, it } from 'vitest';
import { ago, bytes, clockOf, exactly, hourName, hourShort, setClock } from './time.ts';

/** In the local time zone. */
const at = (day: number, hour: number, minute = 0, second = 0) => new Date(2026, 2, day, hour, minute, second);
const said = (then: Date, now: Date) => ago(then.toISOString(), now.getTime());

describe('how long ago', () => {
  it('yesterday is the day before today, however many hours ago', () => {
    expect(said(at(10, 22), at(12, 1))).toBe('2 days ago');
    expect(said(at(10, 1), at(11, 23))).toBe('yesterday');
    expect(said(at(10, 9), at(16, 23))).toBe('6 days ago');
  });

  it('less than a day is in hours, less than an hour in minutes, and never sixty minutes', () => {
    expect(said(at(10, 22), at(11, 1))).toBe('3 hours ago');
    expect(said(at(10, 1), at(11, 0, 50))).toBe('23 hours ago');
    expect(said(at(10, 9), at(10, 9, 59, 50))).toBe('59 minutes ago');
    expect(said(at(10, 9), at(10, 9, 0, 20))).toBe('just now');
  });

  it('future times are worded the same way', () => {
    expect(said(at(12, 1), at(10, 22))).toBe('in 2 days');
    expect(said(at(10, 10), at(10, 9))).toBe('in 1 hour');
  });
});

it('sizes have no more than three digits before the unit', () => {
  expect([bytes(999), bytes(1000), bytes(999_999), bytes(1_250_000)]).toEqual(['999 B', '1.0 kB', '1.0 MB', '1.3 MB']);
});

describe('the clock', () => {
  const moment = at(10, 14, 5).toISOString();

  it('has the hours that the person has set, in each form', () => {
    setClock('12');
    expect([clockOf(moment), hourName(14), hourShort(0)]).toEqual(['02:05 PM', '02:00 PM', '12 AM']);
    expect(exactly(moment)).toMatch(/\b0?2:05:00/);
    setClock('24');
    expect([clockOf(moment), hourName(14), hourShort(0)]).toEqual(['14:05', '14:00', '0']);
    expect(exactly(moment)).toContain('14:05:00');
  });
});
