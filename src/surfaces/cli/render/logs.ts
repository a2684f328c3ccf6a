import { clean } from '../style.ts';
import type { View } from '../view.ts';

export function renderLogs(
  { file, lines }: { file: string; lines: readonly string[] },
  { style }: View,
  { follow }: { follow: boolean },
): string {
  if (lines.length > 0) return lines.map(clean).join('\n');
  return follow ? '' : `The log is empty. ${style.dim(file)}`;
}
