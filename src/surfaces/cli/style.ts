// Colours and columns. Text from transcripts may contain anything, so it passes `clean` before it reaches a terminal.
import { withoutSequences } from '../../schema/plain-text.ts';
import { widthOf } from './width.ts';

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  magenta: [35, 39],
} as const;

export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>>;

export function styles(coloured: boolean): Style {
  const entries = Object.entries(codes).map(([name, [open, close]]) => [
    name,
    (text: string) => (coloured && text !== '' ? `\x1b[${open}m${text}\x1b[${close}m` : text),
  ]);
  return Object.fromEntries(entries) as Style;
}

const unseen = /[\p{Bidi_Control}\p{Cc}]/gu;

/** Without control characters: a transcript must not move the cursor or change the terminal's title. */
export const clean = (text: string): string =>
  withoutSequences(text).replace(unseen, (found) => (found === '\n' || found === '\t' ? found : ''));

/** One line of at most `max` characters. */
export function oneLine(text: string, max: number): string {
  const flat = clean(text.slice(0, max * 8))
    .replace(/\s+/g, ' ')
    .trim();
  const points = [...flat];
  return points.length > max ? `${points.slice(0, Math.max(1, max - 1)).join('')}…` : flat;
}

/** On a terminal with colours, matches are coloured; elsewhere the marks stay. */
export const marked = (snippet: string, style: Style): string =>
  style.yellow('x') === 'x'
    ? snippet
    : snippet.replace(/«([^«»]*)»/g, (_, match: string) => style.bold(style.yellow(match)));

export function bytes(count: number): string {
  if (count < 1000) return `${Math.round(count)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = count / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Pads all but the last column to equal width. `paint` colours a cell after it was measured. */
export function table(rows: readonly (readonly string[])[], paint: (cell: string, column: number) => string): string {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => paint(cell, i) + (i < row.length - 1 ? ' '.repeat((widths[i] ?? 0) - widthOf(cell)) : ''))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
