import { clean } from '../style.ts';
import type { View } from '../view.ts';

const words = {
  new: 'Archived',
  grown: 'Archived again',
  same: 'Archived already',
  none: 'Nothing was said in this session; there is nothing to archive.',
} as const;

export function renderArchive(
  { outcome, file, title }: { outcome: keyof typeof words; file?: string; title: string },
  { style }: View,
): string {
  return file === undefined ? words[outcome] : `${words[outcome]}: ${clean(title)}\n${style.dim(clean(file))}`;
}
