import { plural } from '../../../language/plural.ts';
import { deedOf } from '../../../schema/deed.ts';
import type { Item } from '../../../schema/item.ts';
import { differenceOf } from '../../../schema/line-difference.ts';
import type { ToolUse } from '../../../schema/tool-use.ts';
import { clean, oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';
import { painted } from './tool-use.ts';

export const renderGet = ({ items }: { items: readonly Item[] }, view: View): string =>
  items.map((item) => renderItem(item, view)).join('\n\n');

function renderItem(item: Item, view: View): string {
  const { style } = view;
  const marks = [
    item.role,
    item.subagent === undefined ? undefined : 'subagent',
    item.abandoned ? 'abandoned' : undefined,
    item.gone ? 'no longer in the transcript' : undefined,
  ];
  const head = [
    style.cyan(localTime(item.at, view)),
    ...(item.project === '' ? [] : [style.bold(clean(item.project))]),
    item.kind,
    ...marks,
  ];
  const ids = [
    `${style.dim('id')}       ${clean(item.id)}`,
    ...(item.session === undefined || item.session === item.id
      ? []
      : [`${style.dim('session')}  ${clean(item.session)}  ${oneLine(item.title ?? '', 100)}`]),
    ...(item.page === undefined ? [] : [`${style.dim('page')}     ${clean(item.page)}`]),
    ...(item.before === undefined ? [] : [`${style.dim('before')}   ${clean(item.before)}`]),
    ...(item.after === undefined ? [] : [`${style.dim('after')}    ${clean(item.after)}`]),
  ];
  return [
    head.filter((part) => part !== undefined).join('  '),
    ...ids,
    '',
    clean(item.text),
    ...(item.toolUses ?? []).map((use) => renderUse(use, view)),
    ...(item.cut === undefined ? [] : [style.yellow(more(item, item.cut))]),
  ].join('\n');
}

/** The whole input and output: `show` has already given the gist. */
function renderUse({ tool, input, files, outcome, output }: ToolUse, { style }: View): string {
  const sign = outcome === 'ok' ? style.green('✓') : outcome === 'error' ? style.red('✗') : style.dim('…');
  const deed = deedOf({ tool, input, files });
  const lines =
    deed.kind === 'command'
      ? [`${sign} ${style.bold(`$ ${clean(deed.command)}`)}`]
      : deed.kind === 'edit'
        ? [
            `${sign} ${clean(tool)} ${style.bold(clean(deed.file))}`,
            ...differenceOf(deed.changes).map((line) => painted(line, style)),
          ]
        : [`${sign} ${style.bold(clean(tool))} ${clean(input)}`];
  if (output) lines.push(style.dim(clean(output)));
  return lines.join('\n');
}

function more({ id }: Item, cut: NonNullable<Item['cut']>): string {
  const left = [
    cut.characters > 0 ? `${plural(cut.characters, 'character')} (--from ${cut.from})` : '',
    cut.toolUses > 0 ? `${plural(cut.toolUses, 'tool use')} (a larger --max-chars)` : '',
  ].filter((part) => part !== '');
  return `… more of ${clean(id)}: ${left.join(', ')}`;
}
