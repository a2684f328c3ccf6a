import type { z } from 'zod';
import type { Check, doctor } from '../../../operations/machine/doctor.ts';
import { withCommas } from '../../../schema/with-commas.ts';
import { bytes, clean } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderDoctor({ ok, checks, counts, disk }: z.infer<(typeof doctor)['output']>, view: View): string {
  const { style } = view;
  const lines = renderChecks(checks, view);
  const n = withCommas;
  const conversations = Object.entries(counts.conversations)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${n(count)} ${status}`);
  lines.push(
    '',
    `${n(counts.files)} files, ${n(counts.entries)} entries, ${n(counts.toolUses)} tool uses, ` +
      `${n(counts.sessions)} sessions, ${n(counts.projects)} projects`,
    `conversations: ${conversations.join(', ') || 'none'}`,
    `on disk: database ${bytes(disk.database)}, logs ${bytes(disk.logs)}, backups ${bytes(disk.backups)}  ${style.dim(disk.home)}`,
    '',
    ok ? style.green('All is well.') : style.red('Something needs attention.'),
  );
  return lines.join('\n');
}

/** Checks give exact moments; people read them in the format of all other output. */
const moment = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

export function renderChecks(checks: readonly Check[], view: View): string[] {
  const { style } = view;
  const width = Math.max(...checks.map((check) => check.name.length));
  const mark = ({ ok, off }: Check) => (off ? style.dim('–') : ok ? style.green('✓') : style.red('✗'));
  return checks.flatMap(({ name, message, hint, ...check }) => [
    `${mark({ name, message, ...check })} ${name.padEnd(width)}  ${clean(message.replace(moment, (at) => localTime(at, view)))}`,
    ...(hint ? [`${' '.repeat(width + 4)}${style.yellow(clean(hint))}`] : []),
  ]);
}
