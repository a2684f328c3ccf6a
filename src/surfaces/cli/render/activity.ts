import { plural } from '../../../language/plural.ts';
import type { Activity } from '../../../schema/activity.ts';
import { type Column, renderTable } from '../table.ts';
import type { View } from '../view.ts';

const shades = ['·', '░', '▒', '▓', '█'] as const;
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const oneDay = 86_400_000;

export function renderActivity({ timeZone, from, to, total, days, projects }: Activity, view: View): string {
  const { style } = view;
  const said = `${plural(total.entries, 'entry', 'entries')} (${plural(total.prompts, 'prompt')}) in ${plural(total.sessions, 'session')}`;
  const head = `${said} from ${from} to ${to}, ${timeZone}`;
  if (total.entries === 0) return `No activity from ${from} to ${to}. ${style.dim('Earlier: --since 2024-01-01')}`;
  const listed = renderTable(projects, columns, view);
  return [head, '', ...heatMap({ from, to, days }, view), '', listed].join('\n');
}

const columns: readonly Column<Activity['projects'][number]>[] = [
  { name: 'project', cell: ({ name }) => name, paint: 'bold', cut: 'end' },
  { name: 'sessions', cell: ({ sessions }) => String(sessions), goes: 2 },
  { name: 'entries', cell: ({ entries }) => String(entries) },
  { name: 'path', cell: ({ path }) => path, paint: 'dim', cut: 'middle', goes: 1 },
];

/** One column per week, as many recent weeks as fit. */
function heatMap({ from, to, days }: Pick<Activity, 'from' | 'to' | 'days'>, { width, style }: View): string[] {
  const entries = new Map(days.map(({ day, entries }) => [day, entries]));
  const most = Math.max(...entries.values());
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const monday = last - ((new Date(last).getUTCDay() + 6) % 7) * oneDay;
  const weeks = Math.max(1, Math.min(Math.ceil((monday - first) / (7 * oneDay)) + 1, width - 6));
  return weekdays.map((name, weekday) => {
    const cells = Array.from({ length: weeks }, (_, week) => {
      const at = monday - (weeks - 1 - week) * 7 * oneDay + weekday * oneDay;
      if (at < first || at > last) return ' ';
      const count = entries.get(new Date(at).toISOString().slice(0, 10)) ?? 0;
      return shades[count === 0 ? 0 : Math.min(4, 1 + Math.floor((4 * (count - 1)) / most))] ?? ' ';
    });
    return `${style.dim(name)}  ${cells.join('')}`.trimEnd();
  });
}
