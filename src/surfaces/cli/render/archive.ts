import { clean } from '../style.ts';
import type { View } from '../view.ts';

const words = {
  new: 'Archived',
  grown: 'Archived again',
  same: 'Archived already',
  shared: 'Written',
  none: 'This session has no messages; there is nothing to archive.',
} as const;

export function renderArchive(
  { outcome, file, title }: { outcome: keyof typeof words; file?: string | undefined; title: string },
  { style }: View,
): string {
  // The copy itself went to standard output.
  if (file === '-') return '';
  return file === undefined ? words[outcome] : `${words[outcome]}: ${clean(title)}\n${style.dim(clean(file))}`;
}
