import type { z } from 'zod';
import type { Timeline } from '../../../operations/recall/timeline.ts';
import { clean, oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderTimeline({ items, focus }: z.infer<typeof Timeline>, view: View): string {
  const { style } = view;
  if (items.length === 0) return `Nothing found. ${style.dim('Try fewer filters, or import first: holdfast ingest')}`;
  let session = '';
  return items
    .map((item) => {
      const changed = item.session !== session;
      session = item.session;
      const head = changed
        ? `${style.bold(clean(item.project))}  ${style.dim(`${item.agent}  holdfast show ${clean(item.session)}`)}\n`
        : '';
      const who = item.role === 'user' ? style.green('user     ') : style.magenta('assistant');
      const mark = item.id === focus ? style.yellow('▶') : ' ';
      const time = localTime(item.at, view);
      const text = oneLine(item.text, Math.max(20, view.width - time.length - 16));
      return `${head}${mark} ${style.cyan(time)}  ${who}  ${text}`;
    })
    .join('\n');
}
