import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { Day } from '../../../operations/recall/day.ts';
import { clean, oneLine } from '../style.ts';
import { clockTime, type View } from '../view.ts';

type Output = z.infer<typeof Day>;

export function renderDay({ day, sessions, account }: Output, view: View): string {
  const { style } = view;
  const prompts = sessions.reduce((sum, one) => sum + one.prompts.length, 0);
  const head = `${style.bold(day)}  ${plural(sessions.length, 'session')}, ${plural(prompts, 'prompt')}`;
  if (sessions.length === 0) return `${day}: no sessions. ${style.dim('Other days: holdfast activity')}`;
  return [
    head,
    ...sessions.map((one) => renderSession(one, view)),
    ...(account === undefined
      ? []
      : [`${style.bold('Account of the day')}  ${style.dim(account.page)}\n${clean(account.text)}`]),
  ].join('\n\n');
}

function renderSession({ session, prompts, completed, nextSteps }: Output['sessions'][number], view: View): string {
  const { style, width } = view;
  const room = Math.max(40, width - 9);
  const outcome = (name: string, text: string | undefined) =>
    text === undefined ? [] : [`  ${style.dim(name)}  ${oneLine(text, room - name.length)}`];
  return [
    style.bold(oneLine(session.title, width)),
    `  ${style.green(clean(session.project))}  ${style.dim(`${session.agent}  holdfast show ${clean(session.id.slice(0, 13))}`)}`,
    ...prompts.map(({ at, text }) => {
      const time = clockTime(at, view);
      return `  ${style.cyan(time)}  ${oneLine(text, Math.max(40, width - time.length - 4))}`;
    }),
    ...outcome('completed', completed),
    ...outcome('next', nextSteps),
  ].join('\n');
}
