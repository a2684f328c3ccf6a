import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { chatWith, groupsSend, hostStatus } from '../../../operations/groups/host.ts';
import type { Installed, Uninstalled } from '../../../processes/worker-service.ts';
import { oneLine, table } from '../style.ts';
import { localTime, type View } from '../view.ts';
import { renderInstalled, renderUninstalled } from './worker.ts';

export const renderInstall = (done: Installed, view: View, input: { dryRun: boolean }): string =>
  renderInstalled(done, view, input, 'host');

export const renderUninstall = (done: Uninstalled, _: View, input: { dryRun: boolean }): string =>
  renderUninstalled(done, input, 'host');

export function renderHost(status: z.output<(typeof hostStatus)['output']>, view: View): string {
  const { style } = view;
  const { running, pid, since, processes, groups } = status;
  const lines = [
    running
      ? `The host is running (process ${pid}${since ? `, since ${localTime(since, view)}` : ''}).`
      : 'No host is running. Start one with: holdfast host run',
  ];
  for (const { group, pid: process, since: began, task } of processes)
    lines.push(
      `  ${group}: process ${process ?? 'starting'} since ${localTime(began, view)}${task === undefined ? '' : `, for task ${task}`}`,
    );
  if (groups.length === 0) return [...lines, 'There are no groups yet: holdfast groups create main'].join('\n');
  const rows = groups.map((one) => [
    one.group,
    one.waiting === 0 ? '' : `${one.waiting} waiting`,
    one.handed === 0 ? '' : `${one.handed} being answered`,
    one.givenUp === 0 ? '' : `${one.givenUp} given up`,
    one.tasks === 0
      ? ''
      : `${plural(one.tasks, 'task')}${one.nextTaskAt ? `, next ${localTime(one.nextTaskAt, view)}` : ''}`,
    one.retryAt === undefined ? '' : `next try ${localTime(one.retryAt, view)}`,
  ]);
  lines.push(
    '',
    table(rows, (cell, column) => (column === 0 ? style.bold(cell) : cell)),
  );
  for (const { group, error } of groups)
    if (error !== undefined)
      lines.push(style.yellow(`${group}, ${localTime(error.at, view)}: ${oneLine(error.text, 200)}`));
  return lines.join('\n');
}

export const renderSent = ({ message, note }: z.output<(typeof groupsSend)['output']>, { style }: View): string =>
  [
    `Message ${message.id} is on its way to ${message.group}.`,
    ...(note === undefined ? [] : [style.yellow(note)]),
  ].join('\n');

/** The chat was already shown as it happened. */
export const renderChat = (_: z.output<(typeof chatWith)['output']>): string => '';
