import { z } from 'zod';

/** A moment, as ISO 8601 in UTC, on every surface. Inside the store it is milliseconds since 1970. */
export const Moment = z.iso.datetime();
export type Moment = z.infer<typeof Moment>;

export const toMoment = (ms: number): Moment => new Date(ms).toISOString();
