import { asTime } from '../json.ts';

/** Seconds since 1970. */
export const timeOf = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' ? (seconds < 1e11 ? seconds * 1000 : seconds) : asTime(seconds);
