import type { ScheduledTask, TaskRun } from '../../../schema/task.ts';
import { clean, oneLine, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

const whenOf = ({ kind, when, timeZone }: ScheduledTask, view: View): string =>
  kind === 'cron'
    ? `${when} (${timeZone})`
    : kind === 'once'
      ? `once, ${localTime(when, view)}`
      : `every ${Number(when) / 60_000} min`;

export function renderTasks({ tasks }: { tasks: readonly ScheduledTask[] }, view: View): string {
  if (tasks.length === 0) return 'There are no scheduled tasks. Add one with: holdfast tasks add --help';
  const rows = tasks.map((task) => [
    String(task.id),
    task.group,
    task.state,
    whenOf(task, view),
    task.nextAt === undefined ? '' : `next ${localTime(task.nextAt, view)}`,
    oneLine(task.prompt, 60),
  ]);
  return table(rows, (cell, column) => (column < 2 ? view.style.bold(cell) : cell));
}

export function renderTask({ task, runs }: { task: ScheduledTask; runs: readonly TaskRun[] }, view: View): string {
  const lines = [renderTasks({ tasks: [task] }, view), '', clean(task.prompt)];
  for (const { startedAt, endedAt, result, error } of runs)
    lines.push(
      `${view.style.dim(localTime(startedAt, view))} ${
        endedAt === undefined
          ? 'running'
          : error === undefined
            ? oneLine(result ?? '', 120)
            : view.style.yellow(oneLine(error, 120))
      }`,
    );
  return lines.join('\n');
}

export const renderTurned = ({ task }: { task: ScheduledTask }, view: View): string =>
  renderTasks({ tasks: [task] }, view);

export const renderCancelled = ({ task }: { task: ScheduledTask }): string =>
  `Task ${task.id} of ${task.group} is cancelled.`;
