// Activity as weeks × weekdays, and as weekdays × hours.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Activity, Amount } from '../answers.ts';
import { addDays, fullDay, mondayOf, monthName, shortDay, weekdayName } from '../days.ts';
import { address } from '../router.ts';
import { hourName, hourShort, plural } from '../time.ts';
import { AsTable } from './as-table.tsx';
import { type Cell, HeatGrid, type HeatRow, levelOf } from './heat-grid.tsx';

/** A year, and the current week. */
export const mostWeeks = 53;
/** The smallest width of a cell with its gap, and the width of the weekday names. */
const cellPx = 14;
const namesPx = 40;

const saying = ({ entries, sessions }: Amount): string =>
  entries === 0 ? 'Nothing' : `${plural(entries, 'entry', 'entries')}, ${plural(sessions, 'session')}`;
export const noActivity: Activity = {
  timeZone: '',
  from: '',
  to: '',
  total: { entries: 0, prompts: 0, sessions: 0 },
  days: [],
  hours: [],
  projects: [],
};
const none: Amount = { entries: 0, prompts: 0, sessions: 0 };
export const dayAddress = (day: string, project?: string): string => address('timeline', {}, { day, project });

/** Shows as many of the last weeks as fit; none before they are measured, since hundreds of cells would be drawn twice. */
function useWeeks() {
  const place = useRef<HTMLDivElement>(null);
  const [weeks, setWeeks] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const width = place.current?.clientWidth ?? 0;
      setWeeks(Math.max(4, Math.min(mostWeeks, Math.floor((width - namesPx) / cellPx))));
    };
    measure();
    const observer = new ResizeObserver(measure);
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return { place, weeks };
}

export function HeatMap({ activity, end, project }: { activity: Activity; end: string; project?: string | undefined }) {
  const { place, weeks } = useWeeks();
  const first = addDays(mondayOf(end), -7 * (weeks - 1));
  const amounts = new Map(activity.days.map((one) => [one.day, one]));
  const most = Math.max(1, ...activity.days.map(({ entries }) => entries));
  const rows = Array.from({ length: 7 }, (_, weekday): HeatRow => {
    const cells = Array.from({ length: weeks }, (_, week): Cell | undefined => {
      const day = addDays(first, 7 * week + weekday);
      if (day > end) return undefined;
      const amount = amounts.get(day) ?? none;
      return {
        key: day,
        level: levelOf(amount.entries, most),
        label: `${saying(amount)} on ${shortDay(day)}`,
        href: dayAddress(day, project),
      };
    });
    return { name: weekdayName(weekday + 1), cells };
  });
  const heads = Array.from({ length: weeks }, (_, week) => {
    const monday = addDays(first, 7 * week);
    const begins = week === 0 || Number(monday.slice(8)) <= 7;
    // A name is wider than its column, so the first one needs room before the next.
    return begins && (week > 0 || Number(monday.slice(8)) <= 15) ? monthName(monday) : '';
  });
  return (
    <div ref={place}>
      <HeatGrid
        label="Activity by day"
        rows={rows}
        columns={weeks}
        heads={heads}
        current={end}
        rest={`${plural(weeks, 'week')}, to ${shortDay(end)}`}
        isWaiting={activity === noActivity}
      />
      <AsTable
        keepsRoom
        title="The days as a table"
        heads={['Day', 'Entries', 'Prompts', 'Sessions']}
        rows={activity.days.toReversed().map(({ day, entries, prompts, sessions }) => ({
          key: day,
          href: dayAddress(day, project),
          cells: [fullDay(day), entries, prompts, sessions],
        }))}
      />
    </div>
  );
}

/** `days`: the dates of the rows, if the map shows a day or a week. */
export function HourMap({
  activity,
  days,
  project,
}: {
  activity: Activity;
  days?: readonly string[] | undefined;
  project?: string | undefined;
}) {
  const amounts = new Map(activity.hours.map((one) => [`${one.weekday} ${one.hour}`, one]));
  const most = Math.max(1, ...activity.hours.map(({ entries }) => entries));
  const weekdays = days?.map((day) => ({ day, weekday: ((new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7) + 1 }));
  const rows = (weekdays ?? [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ day: undefined, weekday }))).map(
    ({ day, weekday }): HeatRow => ({
      name: day === undefined ? weekdayName(weekday) : shortDay(day),
      cells: Array.from({ length: 24 }, (_, hour): Cell => {
        const amount = amounts.get(`${weekday} ${hour}`) ?? none;
        const when = `${day === undefined ? `${weekdayName(weekday)}s` : shortDay(day)} from ${hourName(hour)}`;
        return {
          key: `${weekday}-${hour}`,
          level: levelOf(amount.entries, most),
          label: `${saying(amount)}, ${when}`,
          ...(day === undefined ? {} : { href: dayAddress(day, project) }),
        };
      }),
    }),
  );
  const heads = Array.from({ length: 24 }, (_, hour) => (hour % 6 === 0 ? hourShort(hour) : ''));
  return (
    <div class={days === undefined ? 'hours' : 'hours dated'}>
      <HeatGrid
        label="Activity by hour"
        rows={rows}
        columns={24}
        heads={heads}
        current={rows[0]?.cells[0]?.key ?? ''}
        rest="Times in your time zone"
        isWaiting={activity === noActivity}
      />
      <AsTable
        keepsRoom
        title="The hours as a table"
        heads={['When', 'Entries', 'Prompts', 'Sessions']}
        rows={activity.hours.map(({ weekday, hour, entries, prompts, sessions }) => ({
          key: `${weekday}-${hour}`,
          cells: [`${weekdayName(weekday)} ${hourName(hour)}`, entries, prompts, sessions],
        }))}
      />
    </div>
  );
}
