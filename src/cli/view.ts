// What a renderer may know about the terminal and the clock.
import type { Style } from './style.ts';

export interface View {
  readonly style: Style;
  readonly width: number;
  readonly now: number;
  readonly timeZone: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(timeZone: string): Intl.DateTimeFormat {
  let made = formats.get(timeZone);
  if (!made) {
    made = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(timeZone, made);
  }
  return made;
}

/** `2026-03-01 14:05`, by the clock of the configured zone. */
export function localTime(moment: string, { timeZone }: View): string {
  const parts = Object.fromEntries(
    format(timeZone)
      .formatToParts(new Date(moment))
      .map(({ type, value }) => [type, value]),
  );
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}`;
}
