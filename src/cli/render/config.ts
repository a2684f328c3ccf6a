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
  const rows = settings.map(({ key, value, origin, description }) => [key, String(value), origin, description]);
  const paint = [style.bold, style.cyan, style.dim, style.dim];
  const body = table(rows, (cell, column) => (paint[column] ?? ((text: string) => text))(cell));
  return `${body}\n\n${style.dim(`Change with: holdfast config set <key> <value>. Stored in ${file}`)}`;
}

export const renderGet = ({ value }: Value): string => String(value);

export const renderSet = ({ key, value, origin, variable, stored }: Value & { stored: unknown }): string =>
  origin === 'environment'
    ? `${key} is ${stored} in the file, but ${variable} sets it to ${value}`
    : `${key} is now ${value}`;

export const renderUnset = ({ key, value, origin, removed }: Value & { removed: boolean }): string =>
  `${key} ${removed ? 'is no longer set in the file' : 'was not set in the file'}; its value is ${value} (${origin})`;
