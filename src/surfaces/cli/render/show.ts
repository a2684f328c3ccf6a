import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { Shown } from '../../../operations/recall/show.ts';
import { shortIds } from '../../../recall/shown/short-ids.ts';
import { saidOrUsed } from '../../../schema/entry.ts';
import { clean, oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';
import { renderToolUse } from './tool-use.ts';

type Output = z.infer<typeof Shown>;

export function renderShow({ session, entries, focus, files = [], total, from }: Output, view: View): string {
  const { style } = view;
  const counts = [
    plural(session.entries, 'entry', 'entries'),
    plural(session.toolUses, 'tool use'),
    session.subagentEntries > 0 ? `${session.subagentEntries} by subagents (--subagents)` : '',
  ];
  const head = [
    style.bold(oneLine(session.title, 200) || session.id),
    `${style.dim('session')}  ${clean(session.id)}`,
    `${style.dim('project')}  ${clean(session.project)}  ${style.dim(clean(session.projectPath))}`,
    `${style.dim('agent')}    ${session.agent}`,
    ...(session.starred || session.tags
      ? [
          `${style.dim('marks')}    ${[...(session.starred ? ['★ starred'] : []), ...(session.tags ?? []).map((tag) => `#${clean(tag)}`)].join('  ')}`,
        ]
      : []),
    ...(session.branch ? [`${style.dim('branch')}   ${clean((session.branches ?? [session.branch]).join(', '))}`] : []),
    ...(session.links ?? []).map((link) => `${style.dim('link')}     ${clean(link)}`),
    ...(session.forkOf ? [`${style.dim('fork of')}  ${clean(session.forkOf)}`] : []),
    ...(session.parent ? [`${style.dim('parent')}   ${clean(session.parent)}`] : []),
    `${style.dim('time')}     ${localTime(session.startedAt, view)} – ${localTime(session.endedAt, view)}`,
    `${style.dim('holds')}    ${counts.filter((part) => part !== '').join(', ')}`,
    ...(session.resume ? [`${style.dim('resume')}   ${clean(session.resume)}`] : []),
    ...files.map(
      ({ file, modified }, i) =>
        `${style.dim(i === 0 ? 'files' : '     ')}    ${clean(file)}${modified > 0 ? style.yellow('  changed') : ''}`,
    ),
  ];
  if (entries.length < total) {
    const last = from + entries.length;
    const part = last === from + 1 ? `entry ${last}` : `entries ${from + 1} to ${last}`;
    head.push(`${style.dim('shown')}    ${entries.length === 0 ? 'no entry' : part} of ${total}`);
  }
  const short = shortIds(entries.map(({ id }) => id));
  const shown = entries.filter(hasContent).map((entry) => {
    const marked = { focused: entry.id === focus, id: short(entry.id), folder: session.projectPath };
    return renderEntry(entry, marked, view);
  });
  return [head.join('\n'), ...shown].join('\n\n');
}

/** An entry whose tools are not stored would show only a time. */
const hasContent = ({ text, toolUses, tools }: Output['entries'][number]): boolean =>
  text.trim() !== '' || toolUses.length > 0 || tools.length > 0;

interface Marked {
  readonly focused: boolean;
  readonly id: string;
  readonly folder: string;
}

function renderEntry(entry: Output['entries'][number], { focused, id, folder }: Marked, view: View): string {
  const { style } = view;
  const who = entry.author === 'machine' ? 'machine' : entry.role;
  const name = who === 'user' ? style.green(who) : who === 'assistant' ? style.magenta(who) : style.dim(who);
  const marks = [
    entry.subagent === undefined ? '' : `subagent ${clean(entry.subagent)}`,
    entry.form === undefined ? '' : entry.form,
    entry.abandoned ? 'abandoned' : '',
    entry.gone ? 'no longer in the transcript' : '',
  ].filter((mark) => mark !== '');
  const suffix = marks.length > 0 ? `  ${style.yellow(`[${marks.join(', ')}]`)}` : '';
  const pointer = focused ? style.yellow('▶ ') : '';
  const lines = [`${pointer}${style.cyan(localTime(entry.at, view))}  ${style.bold(name)}  ${style.dim(id)}${suffix}`];
  const text = clean(entry.toolUses.length > 0 ? entry.text : saidOrUsed(entry)).trim();
  if (text !== '') lines.push(entry.abandoned || who === 'machine' ? style.dim(text) : text);
  for (const use of entry.toolUses) lines.push(renderToolUse(use, view, folder));
  return lines.join('\n');
}
