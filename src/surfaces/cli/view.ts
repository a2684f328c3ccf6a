// What a renderer knows about the terminal and the clock.
import { localTime as timeIn } from '../../schema/local-time.ts';
import type { Style } from './style.ts';

export interface View {
  readonly style: Style;
  readonly width: number;
  readonly now: number;
  readonly timeZone: string;
  /** The chosen columns of a table, by name. */
  readonly columns?: readonly string[] | undefined;
}

/** `2026-03-01 14:05`, in the configured time zone. */
export const localTime = (moment: string, { timeZone }: View): string => timeIn(moment, timeZone);
