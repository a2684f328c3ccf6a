// Whether clock times have 12 or 24 hours. The command line and the viewer share this rule.

export const clocks = ['auto', '12', '24'] as const;
export type Clock = (typeof clocks)[number];
export type Hours = 12 | 24;

/** `auto` follows the locale, a BCP 47 tag. Without a locale, or with an unknown one, it is 24 hours. */
export function hoursOf(clock: Clock, locale: string | undefined): Hours {
  if (clock !== 'auto') return clock === '12' ? 12 : 24;
  if (locale === undefined) return 24;
  try {
    const format = new Intl.DateTimeFormat([locale, 'en-GB'], { hour: 'numeric' });
    return format.resolvedOptions().hour12 ? 12 : 24;
  } catch {
    // The text is not a language tag.
    return 24;
  }
}

/** `14:05` or `02:05 PM`. Both have a fixed width, so that lists stay aligned. */
export function clockText(hour: number, minute: number, hours: Hours): string {
  const two = (value: number) => String(value).padStart(2, '0');
  if (hours === 24) return `${two(hour)}:${two(minute)}`;
  return `${two(hour % 12 || 12)}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`;
}
