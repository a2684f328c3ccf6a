// What a renderer knows about the terminal and the clock.
import type { Hours } from '../../schema/clock.ts';
import { clockTime as clockIn, localTime as timeIn } from '../../schema/local-time.ts';
import type { Style } from './style.ts';

export interface View {
  readonly style: Style;
  readonly width: number;
  readonly now: number;
  readonly timeZone: string;
  /** 24 unless the person's clock has 12. */
  readonly hours?: Hours | undefined;
  /** The chosen columns of a table, by name. */
  readonly columns?: readonly string[] | undefined;
}

/** `2026-03-01 14:05` or `2026-03-01 02:05 PM`, in the configured time zone. */
export const localTime = (moment: string, { timeZone, hours }: View): string => timeIn(moment, timeZone, hours);

/** `14:05` or `02:05 PM`, in the configured time zone. */
export const clockTime = (moment: string, { timeZone, hours = 24 }: View): string => clockIn(moment, timeZone, hours);
