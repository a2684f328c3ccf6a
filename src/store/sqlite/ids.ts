// Ids that a person typed: whole, or only their beginning.

/** SQL for a column that begins with a text, which is bound twice. */
export const startsWith = (column: string): string => `${column} >= ? AND ${column} < ? || x'f48fbfbf'`;

/** An id that is given whole means that one, even where it begins others. */
export function exactOrAll<T extends { id: string }>(found: readonly T[], id: string): readonly T[] {
  const exact = found.filter((item) => item.id === id);
  return exact.length > 0 ? exact : found;
}
