import { plural } from '../../../language/plural.ts';
import { bytes } from '../style.ts';
import type { View } from '../view.ts';

export function renderBackup(
  {
    file,
    bytes: size,
    removed = [],
    why,
  }: { file: string; bytes: number; removed?: string[] | undefined; why?: string | undefined },
  { style }: View,
): string {
  const gone = removed.map((old) => `Removed ${old}, which held something forgotten since`);
  if (file === '') return [why === undefined ? 'No copy is due.' : `No copy was made: ${why}.`, ...gone].join('\n');
  const saved = `${style.green('Saved')} ${file} (${bytes(size)})`;
  return [saved, ...gone, style.dim(`Restore it with: holdfast restore '${file}'`)].join('\n');
}

export function renderRestore(
  output: { database: string; previous?: string | undefined; entries: number; sessions: number },
  { style }: View,
): string {
  const counts = `${plural(output.entries, 'entry', 'entries')} of ${plural(output.sessions, 'session')}`;
  const kept =
    output.previous === undefined ? '' : `\n${style.dim(`The previous database is kept as ${output.previous}`)}`;
  return `${style.green('Restored')} ${output.database}: ${counts}${kept}`;
}
