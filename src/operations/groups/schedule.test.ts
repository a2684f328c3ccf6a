import { describe, expect, it } from 'vitest';
import { nextAfter, parseSchedule } from './schedule.ts';

const now = Date.parse('2026-03-27T08:00:00Z');
const at = { now, timeZone: 'Europe/Berlin' };
const iso = (ms: number | undefined) => ms && new Date(ms).toISOString();

describe('schedules', () => {
  it('cron follows its time zone, through the change to summer time', () => {
    const schedule = parseSchedule('cron', '0 9 * * *', { ...at, now: now + 3_600_000 });
    expect(iso(schedule.next)).toBe('2026-03-28T08:00:00.000Z');
    expect(iso(nextAfter(schedule, schedule.next))).toBe('2026-03-29T07:00:00.000Z');
  });

  it('an interval counts from its due time, and missed runs happen once', () => {
    const schedule = parseSchedule('interval', '30m', at);
    expect(schedule).toMatchObject({ when: '1800000', next: now + 1_800_000 });
    expect(nextAfter(schedule, now + 1_800_050, schedule.next)).toBe(now + 3_600_000);
    expect(nextAfter(schedule, now + 10 * 1_800_000 + 5, schedule.next)).toBe(now + 11 * 1_800_000);
    expect(parseSchedule('interval', '3600000', at).when).toBe('3600000');
  });

  it('a moment without a zone is in the configured zone, and comes only once', () => {
    const schedule = parseSchedule('once', '2026-03-27T10:30', at);
    expect(schedule.when).toBe('2026-03-27T09:30:00.000Z');
    expect(nextAfter(schedule, schedule.next)).toBeUndefined();
  });

  it.each([
    ['cron', 'every day'],
    ['cron', ''],
    ['cron', '0 0 30 2 *'],
    ['cron', '* * * * * *'],
    ['cron', '0 0 9 * * * 2027'],
    ['cron', '2027-03-01T09:00:00'],
    ['interval', '5s'],
    ['interval', '-1h'],
    ['interval', 'often'],
    ['interval', '99999999999999'],
    ['once', 'soon'],
    ['once', '2020-01-01T00:00'],
    ['once', '2026-02-31T10:00'],
    ['once', '3d'],
  ] as const)('refuses %s %j', (kind, text) => {
    expect(() => parseSchedule(kind, text, at)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
  });
});
