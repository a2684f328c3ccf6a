import { inLines } from '../columns.ts';
import { clean, table } from '../style.ts';
import type { View } from '../view.ts';
import { widthOf } from '../width.ts';

interface Value {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
  readonly variable: string;
  readonly description: string;
}

export function renderList({ file, settings }: { file: string; settings: readonly Value[] }, view: View): string {
  const { style } = view;
  const how = style.dim(`Change with: holdfast config set <key> <value>. Stored in ${clean(file)}`);
  const rows = settings.map(({ key, value, origin, description }) => [key, brief(value), origin, description]);
  const paint = [style.bold, style.cyan, style.dim, style.dim];
  const painted = (cell: string, column: number) => (paint[column] ?? ((text: string) => text))(cell);
  const whole = table(rows, (cell) => cell);
  if (Math.max(...whole.split('\n').map(widthOf)) <= view.width) return `${table(rows, painted)}\n\n${how}`;
  const width = Math.max(20, view.width - indent.length);
  const entries = rows.map(([key = '', value = '', origin = '', description = '']) =>
    [
      `${style.bold(key)}  ${style.cyan(clean(value))}  ${style.dim(origin)}`,
      ...inLines(description, width, mostLines).map((line) => style.dim(indent + line)),
    ].join('\n'),
  );
  return `${entries.join('\n')}\n\n${how}`;
}

/** Where a line is too narrow, the description goes below its setting. */
const indent = '    ';
const mostLines = 6;

/** A long list would take the whole width of the terminal. */
const brief = (value: unknown): string =>
  Array.isArray(value) && value.length > 3 ? `${value.slice(0, 3).join(',')} … (${value.length})` : shown(value);

/** A list in the form in which it is typed. */
const shown = (value: unknown): string =>
  Array.isArray(value) ? value.join(',') || 'none' : value === null ? 'not set' : String(value);

export const renderGet = ({ value }: Value): string => (Array.isArray(value) ? value.join('\n') : String(value));

export const renderSet = ({ key, value, origin, variable, stored }: Value & { stored: unknown }): string =>
  origin === 'environment'
    ? `${key} is ${shown(stored)} in the file, but ${variable} sets it to ${shown(value)}`
    : `${key} is now ${shown(value)}`;

export const renderUnset = ({ key, value, origin, removed }: Value & { removed: boolean }): string =>
  `${key} ${removed ? 'is no longer set in the file' : 'was not set in the file'}; its value is ${shown(value)} (${origin})`;
