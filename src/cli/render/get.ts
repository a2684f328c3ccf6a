import type { Item } from '../../schema/item.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import { plural } from '../../text/plural.ts';
import { clean, oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';

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

function renderUse({ tool, input, outcome, output }: ToolUse, { style }: View): string {
  const sign = outcome === 'ok' ? style.green('✓') : outcome === 'error' ? style.red('✗') : style.dim('…');
  const lines = [`${sign} ${style.bold(clean(tool))} ${clean(input)}`];
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
