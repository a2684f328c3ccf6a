import type { Pin } from '../../../schema/pin.ts';
import { clean, oneLine, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

type Marked = Pick<Pin, 'mark' | 'kind' | 'id'> & { readonly removed: boolean };

export const renderMark = ({ mark, kind, id, removed }: Marked): string =>
  `The ${kind} ${clean(id)} is ${removed ? 'no longer' : 'now'} ${mark}.`;

export function renderPins({ pins }: { pins: readonly Pin[] }, view: View): string {
  const { style } = view;
  if (pins.length === 0) return `Nothing is pinned or muted. ${style.dim('holdfast pin <id>, holdfast mute <id>')}`;
  const rows = pins.map(({ mark, kind, id, at, text }) => [
    mark,
    kind,
    kind === 'project' ? clean(id) : clean(id.slice(0, 8)),
    localTime(at, view),
    oneLine(text, Math.max(20, view.width - 50)),
  ]);
  const paint = [style.yellow, style.dim, style.cyan, style.dim];
  return table([['mark', 'kind', 'id', 'since', 'what'], ...rows], (cell, column) =>
    (paint[column] ?? ((text: string) => text))(cell),
  );
}
