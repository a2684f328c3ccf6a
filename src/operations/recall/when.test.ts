import { describe, expect, it } from 'vitest';
import { HoldfastError } from '../../system/errors.ts';
import { parseDay, parseSince, parseUntil } from './when.ts';

const now = Date.parse('2026-03-29T10:00:00Z');
const since = (text: string, timeZone = 'UTC') => new Date(parseSince(text, { now, timeZone })).toISOString();
const until = (text: string, timeZone = 'UTC') => new Date(parseUntil(text, { now, timeZone })).toISOString();

describe('a date as people type it', () => {
  it.each([
    ['30m', '2026-03-29T09:30:00.000Z'],
    ['12h', '2026-03-28T22:00:00.000Z'],
    ['3d', '2026-03-26T10:00:00.000Z'],
    ['2w', '2026-03-15T10:00:00.000Z'],
    ['999999w', '1970-01-01T00:00:00.000Z'],
    ['today', '2026-03-29T00:00:00.000Z'],
    ['Yesterday', '2026-03-28T00:00:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T14:30', '2026-03-01T14:30:00.000Z'],
    ['2026-03-01 14:30:05', '2026-03-01T14:30:05.000Z'],
    ['2026-03-01T14:30:00Z', '2026-03-01T14:30:00.000Z'],
    ['2026-03-01T14:30:00.250+02:00', '2026-03-01T12:30:00.250Z'],
    ['2026-02', '2026-02-01T00:00:00.000Z'],
    ['2025', '2025-01-01T00:00:00.000Z'],
    ['monday', '2026-03-23T00:00:00.000Z'],
    // The 29th is a Sunday.
    ['sun', '2026-03-29T00:00:00.000Z'],
    ['last sunday', '2026-03-22T00:00:00.000Z'],
    ['last week', '2026-03-16T00:00:00.000Z'],
    ['This month', '2026-03-01T00:00:00.000Z'],
    ['last year', '2025-01-01T00:00:00.000Z'],
    ['3 days ago', '2026-03-26T10:00:00.000Z'],
    ['2 months ago', '2026-01-29T10:00:00.000Z'],
    ['february', '2026-02-01T00:00:00.000Z'],
    ['dec', '2025-12-01T00:00:00.000Z'],
    ['12 feb', '2026-02-12T00:00:00.000Z'],
    ['May 3, 2024', '2024-05-03T00:00:00.000Z'],
  ])('%s is understood', (text, moment) => {
    expect(since(text)).toBe(moment);
  });

  it('means days of the configured time zone, even when the clocks change', () => {
    expect(since('2026-03-29', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
    expect(until('2026-03-29', 'Europe/Berlin')).toBe('2026-03-29T22:00:00.000Z');
    expect(since('today', 'Pacific/Auckland')).toBe('2026-03-28T11:00:00.000Z');
    expect(since('2026-03-01T14:30', 'America/New_York')).toBe('2026-03-01T19:30:00.000Z');
  });

  it('includes the whole day when it is the end of a range', () => {
    expect(until('2026-03-01')).toBe('2026-03-02T00:00:00.000Z');
    expect(until('yesterday')).toBe('2026-03-29T00:00:00.000Z');
    expect(until('2026-02')).toBe('2026-03-01T00:00:00.000Z');
    expect(until('last week')).toBe('2026-03-23T00:00:00.000Z');
    expect(until('monday')).toBe('2026-03-24T00:00:00.000Z');
    expect(until('march', 'Europe/Berlin')).toBe('2026-03-31T22:00:00.000Z');
  });

  it.each([
    '',
    'soon',
    '3',
    '3y',
    '2026-02-30',
    '2026-13-01',
    '2026-13',
    '31 feb',
    'm',
    'last',
    '2026-03-01T25:00',
    '01.03.2026',
    '-3d',
  ])('refuses %j with examples', (text) => {
    const refused = () => since(text);
    expect(refused).toThrow(HoldfastError);
    expect(refused).toThrow('--since');
  });

  it('is one day if one day is asked for', () => {
    const day = (text: string) => parseDay(text, { now, timeZone: 'UTC' });
    expect(new Date(day('3d').from).toISOString()).toBe('2026-03-26T00:00:00.000Z');
    expect(day('monday').to - day('monday').from).toBe(86_400_000);
    expect(() => day('last week')).toThrow('must be one day');
  });
});
