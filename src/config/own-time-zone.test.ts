import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { because } from '../../test/because.ts';
import { civilText, offset } from '../schema/day.ts';
import { quickOffset, setOwnZone } from '../schema/own-zone.ts';
import { learnOwnZone, ownTimeZone } from './own-time-zone.ts';

const noZones = existsSync('/usr/share/zoneinfo/Europe/Berlin') ? undefined : 'the system has no time zones';
const withZones = (title: string, test: () => void) => it.skipIf(noZones)(because(title, noZones), test);

describe('the name of the zone', () => {
  withZones('is what TZ says', () => expect(ownTimeZone('Europe/Berlin')).toBe('Europe/Berlin'));
  withZones('is what the link of the system points to', () =>
    expect(ownTimeZone(undefined, () => '/usr/share/zoneinfo/America/New_York')).toBe('America/New_York'),
  );
  it('is UTC under each of its names', () =>
    expect(['UTC', 'Etc/UTC', 'Zulu'].map((tz) => ownTimeZone(tz))).toEqual(Array(3).fill('UTC')));
  it.each(['', ':Europe/Berlin', 'europe/berlin', 'EST5EDT', 'Etc/GMT+5', 'Europe/Nowhere', 'Europe/../Etc/UTC'])(
    'is left to Intl if TZ is %j',
    (tz) => expect(ownTimeZone(tz)).toBeUndefined(),
  );
  it('is left to Intl without a link', () => {
    const absent = () => {
      throw new Error('ENOENT');
    };
    expect(ownTimeZone(undefined, absent)).toBeUndefined();
    expect(ownTimeZone(undefined, () => '/etc/localtime')).toBeUndefined();
  });
});

describe('the time in that zone', () => {
  const { TZ } = process.env;
  afterEach(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
    learnOwnZone(TZ);
  });

  // Around both changes of the clocks in 2026, far in the past and in the future, and in zones with odd offsets.
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia'])
    withZones(`is the same as by Intl in ${zone}`, () => {
      process.env.TZ = zone;
      const hour = 3_600_000;
      const moments = [
        '2026-03-08T00:00Z',
        '2026-03-29T00:00Z',
        '2026-10-25T00:00Z',
        '1975-06-01T00:00Z',
        '2040-12-31T00:00Z',
      ]
        .map(Date.parse)
        .flatMap((at) => Array.from({ length: 48 }, (_, i) => at + (i * hour) / 2 + 1234));
      setOwnZone(undefined);
      const byIntl = moments.map((at) => [offset(at, zone), civilText(at, zone)]);
      learnOwnZone(zone);
      expect(quickOffset(0, zone)).toBeDefined();
      expect(moments.map((at) => [offset(at, zone), civilText(at, zone)])).toEqual(byIntl);
    });
});
