import type { z } from 'zod';
import type { Shown } from '../../operations/show.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import { plural } from '../../text/plural.ts';
import { clean, oneLine } from '../style.ts';
import { localTime, type View } from '../view.ts';

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
    const part = entries.length === 0 ? 'none' : `${from} to ${from + entries.length - 1}`;
    head.push(`${style.dim('shown')}    ${part} of ${plural(total, 'entry', 'entries')}, counted from 0`);
  }
  return [head.join('\n'), ...entries.map((entry) => renderEntry(entry, entry.id === focus, view))].join('\n\n');
}

function renderEntry(entry: Output['entries'][number], focused: boolean, view: View): string {
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
  const lines = [`${pointer}${style.cyan(localTime(entry.at, view))}  ${style.bold(name)}${suffix}`];
  const text = clean(withoutToolLine(entry.text, entry.toolUses.length > 0)).trim();
  if (text !== '') lines.push(entry.abandoned || who === 'machine' ? style.dim(text) : text);
  for (const use of entry.toolUses) lines.push(renderToolUse(use, view));
  return lines.join('\n');
}

/** The searchable line of tool names says nothing where the uses themselves are listed. */
const withoutToolLine = (text: string, listed: boolean): string =>
  listed ? text.replace(/\n?\[Used tools: [^\]\n]*\]\s*$/, '') : text;

function renderToolUse(use: ToolUse, { style, width }: View): string {
  const outcome = use.outcome === 'ok' ? style.green('✓') : use.outcome === 'error' ? style.red('✗') : style.dim('…');
  return `  ${outcome} ${clean(use.tool)} ${style.dim(oneLine(use.files[0] ?? use.input, Math.max(20, width - use.tool.length - 6)))}`;
}
