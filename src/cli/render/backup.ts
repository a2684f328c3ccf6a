import { plural } from '../../text/plural.ts';
import { bytes } from '../style.ts';
import type { View } from '../view.ts';

export const renderBackup = ({ file, bytes: size }: { file: string; bytes: number }, { style }: View): string =>
  `${style.green('Saved')} ${file} (${bytes(size)})\n${style.dim(`Put it back with: holdfast restore '${file}'`)}`;

export function renderRestore(
  output: { database: string; previous?: string; entries: number; sessions: number },
  { style }: View,
): string {
  const counts = `${plural(output.entries, 'entry', 'entries')} of ${plural(output.sessions, 'session')}`;
  const kept =
    output.previous === undefined ? '' : `\n${style.dim(`The database before is kept as ${output.previous}`)}`;
  return `${style.green('Restored')} ${output.database}: ${counts}${kept}`;
}
