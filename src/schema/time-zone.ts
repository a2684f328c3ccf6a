import { z } from 'zod';
import { quickOffset } from './own-zone.ts';

export function isTimeZone(zone: string): boolean {
  if (quickOffset(0, zone) !== undefined) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    // Intl can only report an unknown zone by throwing.
    return false;
  }
}

export const TimeZone = z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin or UTC');
