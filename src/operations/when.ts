// Dates as people type them → a moment. Days begin at midnight in the configured time zone.
import { HoldfastError } from '../errors.ts';
import { atCivil, dayOf, oneDay } from '../text/day.ts';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export interface Now {
  readonly now: number;
  readonly timeZone: string;
}

/** The first moment that is meant: `2026-03-01` is its midnight, `3d` is three days ago. */
export const parseSince = (text: string, at: Now, option = '--since'): number => parse(text, option, at).from;

/** The first moment that is no longer meant: `2026-03-01` is the midnight at its end. */
export const parseUntil = (text: string, at: Now): number => parse(text, '--until', at).to;

function parse(text: string, option: string, { now, timeZone }: Now): { from: number; to: number } {
  const word = text.trim().toLowerCase();
  const ago = /^(\d{1,6})\s*([mhdw])(?:\s*ago)?$/.exec(word);
  if (ago) {
    // Nothing was said before that, and no calendar has a word for some of it.
    const moment = Math.max(0, now - Number(ago[1]) * units[ago[2] as keyof typeof units]);
    return { from: moment, to: moment };
  }
  if (word === 'now') return { from: now, to: now };
  if (word === 'today') return dayOf(now, 0, timeZone);
  if (word === 'yesterday') return dayOf(now, -1, timeZone);
  const date = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?(z|[+-]\d\d:?\d\d)?$/.exec(word);
  if (date) {
    const [year, month, day, hour = 0, minute = 0, second = 0] = date.slice(1, 7).map((part) => Number(part ?? 0));
    const civil = Date.UTC(year as number, (month as number) - 1, day, hour, minute, second);
    const exists = new Date(civil).toISOString().startsWith(`${date[1]}-${date[2]}-${date[3]}`);
    const timed = date[4] !== undefined;
    if (exists && hour < 24 && minute < 60 && second < 60 && (timed || date[7] === undefined)) {
      if (!timed) return { from: atCivil(civil, timeZone), to: atCivil(civil + oneDay, timeZone) };
      const moment =
        date[7] === undefined ? atCivil(civil, timeZone) : Date.parse(word.toUpperCase().replace(' ', 'T'));
      if (!Number.isNaN(moment)) return { from: moment, to: moment };
    }
  }
  throw new HoldfastError('BAD_INPUT', `${option} cannot be understood: ${JSON.stringify(text)}`, {
    hint: 'Examples: 2026-03-01, 2026-03-01T14:30, 30m, 12h, 3d, 2w, today, yesterday.',
  });
}
