import { plural } from '../../../language/plural.ts';
import type { IngestReport } from '../../../schema/ingest-report.ts';
import { bytes, clean } from '../style.ts';
import type { View } from '../view.ts';

export function renderIngest(report: IngestReport, { style }: View): string {
  const { files, entries, problems } = report;
  if (files.seen === 0) return `No transcripts were found. ${style.dim('Where Holdfast looks: holdfast config')}`;
  const speed = report.seconds > 0 ? `, ${bytes(report.bytes / report.seconds)}/s` : '';
  const lines = [
    `${style.green(plural(entries.added, 'new entry', 'new entries'))} from ${plural(files.imported, 'transcript')}` +
      ` (${bytes(report.bytes)} in ${report.seconds.toFixed(1)} s${speed})`,
    style.dim(
      `${plural(files.seen, 'transcript')} seen, ${files.skipped} empty or with nothing new; ${plural(report.conversations, 'conversation')} in all`,
    ),
  ];
  if (files.failed > 0) lines.push(style.red(`${plural(files.failed, 'file')} failed`));
  if (entries.malformed > 0) lines.push(style.yellow(`${plural(entries.malformed, 'malformed line')} left out`));
  for (const { message, hint } of problems.slice(0, 8)) {
    lines.push(`  ${style.yellow('!')} ${clean(message)}`);
    if (hint) lines.push(`    ${style.dim(hint)}`);
  }
  if (problems.length > 8) lines.push(`  … and ${problems.length - 8} more: --json shows all`);
  return lines.join('\n');
}
