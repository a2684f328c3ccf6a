import type { z } from 'zod';
import type { install, repair, uninstall } from '../../../operations/machine/install.ts';
import type { status } from '../../../operations/machine/status.ts';
import type { Work } from '../../../schema/work.ts';
import { workProgress, workTitle } from '../../../schema/work-text.ts';
import { clean } from '../style.ts';
import type { View } from '../view.ts';
import { renderChecks } from './doctor.ts';

type Output = z.infer<(typeof install)['output']>;

export function renderInstall(output: Output, view: View): string {
  return 'found' in output ? renderFound(output, view) : renderOne(output, view);
}

/** What was found on this machine, and what was done. */
function renderFound({ found, done, failed }: Extract<Output, { found: unknown }>, view: View): string {
  const { style } = view;
  if (found.length === 0) return 'No agent that Holdfast knows was found on this machine.';
  const lines = done.flatMap((one) => [style.bold(one.agent), renderOne(one, view), '']);
  for (const { agent, title, state } of found)
    lines.push(
      state === 'installed'
        ? `${title}: installed`
        : `${title}: ${state}. ${style.dim(`To do it: holdfast install ${agent}`)}`,
    );
  return [...lines, ...failed.map((message) => style.red(clean(message)))].join('\n');
}

function renderOne(
  { file, changed, dryRun, diff, mcp, use, warnings }: Extract<Output, { file: string }>,
  { style }: View,
): string {
  const lines: string[] = [];
  for (const text of dryRun ? [diff, mcp?.diff ?? ''] : [])
    if (text !== '')
      lines.push(
        ...clean(text)
          .split('\n')
          .map((line) => paint(line, style)),
        '',
      );
  if (use !== undefined) lines.push(dryRun ? `Would write ${file}.` : `Wrote ${file}.`, `Use it with: ${use}`);
  else if (dryRun)
    for (const one of changedFiles({ file, changed }, mcp))
      lines.push(
        one.changed
          ? `Nothing was written. Without --dry-run, ${one.file} would change like this.`
          : `${one.file} is up to date.`,
      );
  else
    lines.push(
      changed ? `Sessions now report to Holdfast (${file}).` : `Sessions already report to Holdfast (${file}).`,
    );
  if (!dryRun && mcp !== undefined)
    lines.push(
      mcp.changed ? `It can now search over MCP (${mcp.file}).` : `It can already search over MCP (${mcp.file}).`,
    );
  if (!dryRun && use === undefined) lines.push(style.dim('The next session starts the worker. See: holdfast status'));
  lines.push(...warnings.map((warning) => style.yellow(clean(warning))));
  return lines.join('\n');
}

interface Changed {
  readonly file: string;
  readonly changed: boolean;
}

/** Some agents keep hooks and servers in one file. */
function changedFiles(hooks: Changed, mcp: Changed | undefined): readonly Changed[] {
  if (mcp === undefined) return [hooks];
  if (mcp.file !== hooks.file) return [hooks, mcp];
  return [{ file: hooks.file, changed: hooks.changed || mcp.changed }];
}

const paint = (line: string, style: View['style']): string =>
  line.startsWith('+')
    ? style.green(line)
    : line.startsWith('-')
      ? style.red(line)
      : line.startsWith('@@')
        ? style.cyan(line)
        : line;

export const renderUninstall = (
  { file, changed, mcp, plugins, home }: z.infer<(typeof uninstall)['output']>,
  { style }: View,
): string =>
  [
    changed ? `Nothing of Holdfast is left in ${file}.` : `${file} holds nothing of Holdfast.`,
    ...(mcp?.changed ? [`The MCP server was removed from ${mcp.file}.`] : []),
    ...plugins.map((folder) => `Removed the plugin in ${folder}.`),
    style.dim(`Stored memory stays in ${home}.`),
  ].join('\n');

export function renderRepair({ repaired, worker }: z.infer<(typeof repair)['output']>): string {
  const files = repaired.flatMap(({ changed }) => changed);
  const lines = files.map((file) => `Repaired ${file}.`);
  if (files.length === 0) lines.push('Nothing needed repair.');
  if (worker === 'restarted') lines.push('The worker was restarted.');
  return lines.join('\n');
}

const barWidth = 20;

/** One line for each: a bar if the share is known, what it does, and how far it has come. */
function renderWork(work: readonly Work[], { style }: View): string[] {
  const lines = work.map((one) => {
    const filled = one.share === undefined ? 0 : Math.round(one.share * barWidth);
    const bar = one.share === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} `;
    return `${style.cyan('⟳')} ${bar}${[workTitle(one), workProgress(one)].filter((part) => part !== '').join(': ')}`;
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

export function renderState({ ok, checks, work }: z.infer<(typeof status)['output']>, view: View): string {
  const { style } = view;
  const last = !ok
    ? style.red('Something needs attention.')
    : checks.some(({ name, hint }) => name === 'capture' && hint !== undefined)
      ? style.yellow('All is well, but capture is paused.')
      : style.green('Sessions are captured as they happen.');
  return [...renderChecks(checks, view), '', ...renderWork(work, view), last].join('\n');
}
