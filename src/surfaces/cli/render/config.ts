import { table } from '../style.ts';
import type { View } from '../view.ts';

interface Value {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
  readonly variable: string;
  readonly description: string;
}

export function renderList({ file, settings }: { file: string; settings: readonly Value[] }, { style }: View): string {
  const rows = settings.map(({ key, value, origin, description }) => [key, brief(value), origin, description]);
  const paint = [style.bold, style.cyan, style.dim, style.dim];
  const body = table(rows, (cell, column) => (paint[column] ?? ((text: string) => text))(cell));
  return `${body}\n\n${style.dim(`Change with: holdfast config set <key> <value>. Stored in ${file}`)}`;
}

/** A long list would take the whole width of the terminal. */
const brief = (value: unknown): string =>
  Array.isArray(value) && value.length > 3 ? `${value.slice(0, 3).join(',')} … (${value.length})` : shown(value);

/** A list in the form in which it is typed. */
const shown = (value: unknown): string => (Array.isArray(value) ? value.join(',') || 'none' : String(value));

export const renderGet = ({ value }: Value): string => (Array.isArray(value) ? value.join('\n') : String(value));

export const renderSet = ({ key, value, origin, variable, stored }: Value & { stored: unknown }): string =>
  origin === 'environment'
    ? `${key} is ${shown(stored)} in the file, but ${variable} sets it to ${shown(value)}`
    : `${key} is now ${shown(value)}`;

export const renderUnset = ({ key, value, origin, removed }: Value & { removed: boolean }): string =>
  `${key} ${removed ? 'is no longer set in the file' : 'was not set in the file'}; its value is ${shown(value)} (${origin})`;
