// Times in the person's time zone. Intl knows the summer time of every zone.

export interface LocalTime {
  /** `2026-03-01` */
  readonly date: string;
  /** `15:39` */
  readonly time: string;
  /** `03:39 PM` */
  readonly twelveHour: string;
  /** `Sunday, 1 March 2026` */
  readonly longDate: string;
}

interface Formats {
  readonly short: Intl.DateTimeFormat;
  readonly twelveHour: Intl.DateTimeFormat;
  readonly longDate: Intl.DateTimeFormat;
}

const formats = new Map<string, Formats>();

function formatsOf(timeZone: string): Formats {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const two = '2-digit' as const;
  const made = {
    short: new Intl.DateTimeFormat('en-CA', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: two, day: two, hour: two, minute: two },
    }),
    twelveHour: new Intl.DateTimeFormat('en-US', { timeZone, hour: two, minute: two, hour12: true }),
    longDate: new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone, weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    }),
  } as const;
  formats.set(timeZone, made);
  return made;
}

export function localTime(at: number, timeZone: string): LocalTime {
  const { short, twelveHour, longDate } = formatsOf(timeZone);
  const [date = '', time = ''] = short.format(at).split(', ');
  return {
    date,
    time,
    // Newer versions of Intl put a narrow no-break space before AM and PM, which people cannot type.
    get twelveHour() {
      return twelveHour.format(at).replace(/\s/g, ' ');
    },
    get longDate() {
      return longDate.format(at);
    },
  };
}
