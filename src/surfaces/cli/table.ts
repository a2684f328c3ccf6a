// Rows → a table that fits the terminal: wide columns shrink; if that is not enough, the least important ones are
// dropped.
import { HoldfastError } from '../../system/errors.ts';
import { inColumns, plain } from './columns.ts';
import type { Style } from './style.ts';
import { table } from './style.ts';
import type { View } from './view.ts';
import { endInColumns, startInColumns, widthOf } from './width.ts';

export interface Column<T> {
  readonly name: string;
  cell(row: T, view: View): string;
  readonly paint?: keyof Style;
  /** How a long cell is cut: prose at its end, paths in the middle. Without it, a cell is never cut. */
  readonly cut?: 'end' | 'middle';
  /** The order in which columns are dropped on a narrow terminal, 1 first; without it, a column stays. */
  readonly goes?: number;
  /** Shown only if `--columns` names it. */
  readonly extra?: true;
}

/** No column shrinks below this width. */
const least = 10;
const gap = 2;

/** `chosen`: names of columns, in the order to show them. */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  view: View,
  chosen?: readonly string[],
): string {
  const wanted = chosen === undefined ? columns.filter(({ extra }) => !extra) : chosenOf(columns, chosen);
  const cells = new Map(wanted.map((one) => [one, rows.map((row) => plain(one.cell(row, view)))]));
  const shown = wanted.filter((one) => chosen !== undefined || fits(one, wanted, cells, view.width));
  const widths = shrunk(shown, cells, view.width);
  const painted = shown.map(({ paint }) => (paint === undefined ? (text: string) => text : view.style[paint]));
  const lines = rows.map((_, row) =>
    shown.map((one, i) => cut((cells.get(one) as string[])[row] as string, widths[i] as number, one.cut)),
  );
  return table([shown.map(({ name }) => name), ...lines], (cell, column) =>
    (painted[column] as (t: string) => string)(cell),
  );
}

export function chosenOf<T extends { readonly name: string }>(columns: readonly T[], names: readonly string[]): T[] {
  return names.map((name) => {
    const found = columns.find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new HoldfastError('BAD_INPUT', `--columns: there is no column ${JSON.stringify(name)}`, {
      hint: `Columns: ${columns.map((one) => one.name).join(', ')}.`,
    });
  });
}

type Cells<T> = ReadonlyMap<Column<T>, readonly string[]>;

const natural = <T>(one: Column<T>, cells: Cells<T>): number =>
  Math.max(one.name.length, ...(cells.get(one) as readonly string[]).map(widthOf));

/** Whether a column has room beside the more important ones, each at its narrowest. */
function fits<T>(one: Column<T>, all: readonly Column<T>[], cells: Cells<T>, width: number): boolean {
  if (one.goes === undefined) return true;
  const before = all.filter(({ goes = Number.POSITIVE_INFINITY }) => goes >= (one.goes as number));
  const needed = before.map((other) =>
    other.cut === undefined ? natural(other, cells) : Math.min(natural(other, cells), 2 * least),
  );
  return needed.reduce((sum, each) => sum + each + gap, -gap) <= width;
}

/** Shrinks the widest columns that may be cut, down to the same width. */
function shrunk<T>(shown: readonly Column<T>[], cells: Cells<T>, width: number): number[] {
  const widths = shown.map((one) => natural(one, cells));
  const total = () => widths.reduce((sum, each) => sum + each + gap, -gap);
  while (total() > width) {
    const widest = widths.reduce(
      (best, each, i) => (shown[i]?.cut !== undefined && each > (widths[best] ?? 0) ? i : best),
      shown.findIndex((one) => one.cut !== undefined),
    );
    const now = widths[widest];
    if (now === undefined || now <= least) break;
    widths[widest] = Math.max(least, now - Math.max(1, Math.min(8, total() - width)));
  }
  return widths;
}

function cut(text: string, width: number, how: Column<unknown>['cut']): string {
  if (how === undefined || widthOf(text) <= width) return text;
  if (how === 'end') return inColumns(text, width);
  const head = Math.floor((width - 1) / 3);
  return `${startInColumns(text, head)}…${endInColumns(text, width - 1 - head)}`;
}
