import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { sessionsChanges, sessionsFind, sessionsOutline } from '../../../operations/recall/session-parts.ts';
import { shortIds } from '../../../recall/shown/short-ids.ts';
import { pathFrom } from '../../../schema/deed.ts';
import { clean, oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';
import { renderToolUse } from './tool-use.ts';

type Placed = z.infer<(typeof sessionsOutline)['output']>['prompts'];

function lines(placed: Placed, view: View): string[] {
  const short = shortIds(placed.map(({ id }) => id));
  return placed.map(({ id, at, text }) => {
    const head = `${view.style.cyan(localTime(at, view))}  ${view.style.dim(short(id))}`;
    return `${head}  ${oneLine(text, Math.max(40, view.width - 30))}`;
  });
}

export const renderOutline = ({ prompts }: z.infer<(typeof sessionsOutline)['output']>, view: View): string =>
  prompts.length === 0 ? 'No person said anything in this session.' : lines(prompts, view).join('\n');

export function renderFound({ matches, more }: z.infer<(typeof sessionsFind)['output']>, view: View): string {
  if (matches.length === 0) return 'Nothing in this session has these words.';
  const count = `${more ? 'More than ' : ''}${plural(matches.length, 'entry', 'entries')}`;
  return [...lines(matches, view), view.style.dim(`${count}. Read one with: holdfast show <id>`)].join('\n');
}

export function renderChanges(
  { folder, files, left }: z.infer<(typeof sessionsChanges)['output']>,
  view: View,
): string {
  if (files.length === 0) return 'This session changed no file, as far as its tools tell.';
  const shown = files.map(({ file, uses }) =>
    [view.style.bold(clean(pathFrom(folder, file))), ...uses.map((use) => `${renderToolUse(use, view, folder)}`)].join(
      '\n',
    ),
  );
  return [...shown, ...(left > 0 ? [view.style.yellow(`… and ${plural(left, 'more edit')}`)] : [])].join('\n\n');
}
