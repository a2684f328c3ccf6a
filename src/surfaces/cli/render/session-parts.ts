import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { sessionsCount, sessionsOriginal, sessionsUsage } from '../../../operations/recall/session-original.ts';
import type {
  sessionsChanges,
  sessionsCommits,
  sessionsFind,
  sessionsOutline,
} from '../../../operations/recall/session-parts.ts';
import { shortIds } from '../../../recall/shown/short-ids.ts';
import { pathFrom } from '../../../schema/deed.ts';
import { dollars } from '../../../schema/dollars.ts';
import { withCommas } from '../../../schema/with-commas.ts';
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
  prompts.length === 0 ? 'This session has no prompts.' : lines(prompts, view).join('\n');

export function renderFound({ matches, more }: z.infer<(typeof sessionsFind)['output']>, view: View): string {
  if (matches.length === 0) return 'These words do not occur in this session.';
  const count = `${more ? 'More than ' : ''}${plural(matches.length, 'entry', 'entries')}`;
  return [...lines(matches, view), view.style.dim(`${count}. Read one with: holdfast show <id>`)].join('\n');
}

export function renderChanges(
  { folder, files, left }: z.infer<(typeof sessionsChanges)['output']>,
  view: View,
): string {
  if (files.length === 0) return 'The tools of this session changed no file.';
  const shown = files.map(({ file, uses }) =>
    [view.style.bold(clean(pathFrom(folder, file))), ...uses.map((use) => `${renderToolUse(use, view, folder)}`)].join(
      '\n',
    ),
  );
  return [...shown, ...(left > 0 ? [view.style.yellow(`… and ${plural(left, 'more edit')}`)] : [])].join('\n\n');
}

export function renderCommits({ commits }: z.infer<(typeof sessionsCommits)['output']>, view: View): string {
  if (commits.length === 0) return 'The commands of this session report no commit.';
  return commits
    .map(({ hash, branch, subject, at }) => {
      const head = `${view.style.cyan(localTime(at, view))}  ${view.style.yellow(clean(hash))}`;
      return `${head}  ${oneLine(subject, Math.max(40, view.width - 40))}  ${view.style.dim(oneLine(branch, 40))}`;
    })
    .join('\n');
}

export function renderOriginal(
  { input, output, left, pictures }: z.infer<(typeof sessionsOriginal)['output']>,
  view: View,
): string {
  const parts = [
    ...(input === undefined ? [] : [view.style.bold('Input'), clean(input)]),
    ...(output === undefined ? [] : [view.style.bold('Output'), clean(output)]),
    ...(left > 0 ? [view.style.yellow(`… and ${plural(left, 'more character')}`)] : []),
    ...pictures.map(
      ({ type, data }) => `Picture, ${clean(type)}, ${plural(Math.floor((data.length * 3) / 4), 'byte')}`,
    ),
  ];
  return parts.length === 0 ? 'This entry has no picture.' : parts.join('\n');
}

export function renderUsage({ models, cost, pricesOf }: z.infer<(typeof sessionsUsage)['output']>, view: View): string {
  if (models.length === 0) return 'The transcript of this session states no tokens.';
  const lines = models.map((one) => {
    const caches = `${withCommas(one.cacheRead)} from caches, ${withCommas(one.cacheWrite)} into caches`;
    const tokens = `${withCommas(one.input)} in, ${withCommas(one.output)} out, ${caches}`;
    const price = one.cost === undefined ? 'price not known' : dollars(one.cost);
    return `${view.style.bold(clean(one.model) || 'unnamed model')}  ${plural(one.answers, 'answer')}: ${tokens}  ${price}`;
  });
  const total = cost === undefined ? [] : [`${dollars(cost)} by the prices of ${pricesOf}`];
  return [...lines, ...total.map(view.style.dim)].join('\n');
}

export function renderCounted({ counted }: z.infer<(typeof sessionsCount)['output']>): string {
  return counted === 0
    ? 'No session has tokens that are not counted yet.'
    : `Counted the tokens of ${plural(counted, 'session')}.`;
}
