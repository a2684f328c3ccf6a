// Which words of a command line mean which operation.
import type { Operation } from '../../operations/operation.ts';

/** Other names of operations: every session command also has a name under `sessions`, and the short names stay. */
export const otherNames: Readonly<Record<string, string>> = {
  'sessions list': 'sessions',
  'sessions show': 'show',
  'sessions resume': 'resume',
  'sessions archive': 'archive',
};

/** The operation that the first words of a command name, and how many words those are. */
export function operationNamed(
  words: readonly string[],
  operations: readonly Operation[],
): { readonly operation: Operation; readonly words: number } | undefined {
  for (const count of [2, 1]) {
    const typed = words.slice(0, count).join(' ');
    const operation = operations.find(({ name }) => name === (otherNames[typed] ?? typed));
    if (operation !== undefined) return { operation, words: count };
  }
  return undefined;
}

/** The operations that begin with this word, under any of their names; all operations if none does. */
export function operationsUnder(word: string | undefined, operations: readonly Operation[]): readonly Operation[] {
  const others = Object.keys(otherNames).filter((other) => other.split(' ', 1)[0] === word);
  const meant = new Set(others.map((other) => otherNames[other]));
  const under = operations.filter(({ name }) => name.split(' ', 1)[0] === word || meant.has(name));
  return under.length > 0 ? under : operations;
}
