import { clean } from '../style.ts';
import type { View } from '../view.ts';

interface Labelled {
  readonly session: string;
  readonly title: string;
  readonly starred: boolean;
  readonly tags: readonly string[];
}

export function renderLabelled({ session, title, starred, tags }: Labelled, { style }: View): string {
  const marks = [...(starred ? [style.yellow('★')] : []), ...tags.map((tag) => style.cyan(`#${clean(tag)}`))];
  return `${[style.bold(clean(title)), ...marks].join('  ')}\n${style.dim(clean(session))}`;
}
