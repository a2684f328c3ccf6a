import type { Installed, Uninstalled } from '../../../processes/worker-service.ts';
import type { HttpState } from '../../../schema/http-state.ts';
import { localTime, type View } from '../view.ts';

export const renderStart = ({ pid, alreadyRunning }: { pid: number; alreadyRunning: boolean }): string =>
  alreadyRunning ? `The worker is already running (process ${pid}).` : `The worker is running (process ${pid}).`;

export const renderStop = ({ stopped, pid }: { stopped: boolean; pid?: number | undefined }): string =>
  stopped ? `The worker has stopped (process ${pid}).` : 'No worker was running.';

export function renderStatus(
  {
    running,
    pid,
    since,
    http,
    pausedSince,
  }: {
    running: boolean;
    pid?: number | undefined;
    since?: string | undefined;
    http: HttpState;
    pausedSince?: string | undefined;
  },
  view: View,
): string {
  const lines = [
    running
      ? `The worker is running (process ${pid}${since ? `, since ${localTime(since, view)}` : ''}).`
      : 'The worker is not running. Start it with: holdfast worker start',
  ];
  if (http.open) lines.push(`It listens on http://127.0.0.1:${http.port}.`);
  if (pausedSince)
    lines.push(
      view.style.yellow(
        `Capture has been paused since ${localTime(pausedSince, view)}; end it with: holdfast resume-capture`,
      ),
    );
  if (http.message) lines.push(view.style.yellow(http.message));
  if (http.hint) lines.push(view.style.dim(http.hint));
  return lines.join('\n');
}

export const renderInstall = (done: Installed, view: View, input: { dryRun: boolean }): string =>
  renderInstalled(done, view, input, 'worker');

export const renderUninstall = (done: Uninstalled, _: View, input: { dryRun: boolean }): string =>
  renderUninstalled(done, input, 'worker', ' Hooks start it when they need it.');

export function renderInstalled(
  { manager, file, text, changed, running, commands }: Installed,
  { style }: View,
  { dryRun }: { dryRun: boolean },
  what: string,
): string {
  const steps = commands.map((command) => `  ${command}`);
  if (dryRun)
    return [
      `${file} ${changed ? 'would contain' : 'already contains'}:`,
      style.dim(text.trimEnd()),
      ...(steps.length > 0 ? ['Then these commands would run:', ...steps] : ['No command would run.']),
    ].join('\n');
  const written = changed ? `${file} was written.` : `${file} is up to date.`;
  if (running) return `${written}\n${manager} runs the ${what} now, and after each login.`;
  return [written, style.yellow(`${manager} cannot be reached from here. Run this in a login session:`), ...steps].join(
    '\n',
  );
}

export function renderUninstalled(
  { manager, file, found, commands }: Uninstalled,
  { dryRun }: { dryRun: boolean },
  what: string,
  then = '',
): string {
  if (!found) return `${manager} does not run the ${what}; there is nothing to remove.`;
  const steps = commands.map((command) => `  ${command}`);
  if (dryRun)
    return [`${file} would be removed${steps.length > 0 ? ', and these commands would run:' : '.'}`, ...steps].join(
      '\n',
    );
  return `${file} was removed; ${manager} no longer runs the ${what}.${then}`;
}
