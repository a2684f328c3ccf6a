// Ids that a person typed: in full, or only the beginning.

/** SQL for a column that starts with a text; bind the text twice. */
export const startsWith = (column: string): string => `${column} >= ? AND ${column} < ? || x'f48fbfbf'`;

/** A complete id means that item alone, even if other ids start with it. */
export function exactOrAll<T extends { id: string }>(found: readonly T[], id: string): readonly T[] {
  const exact = found.filter((item) => item.id === id);
  return exact.length > 0 ? exact : found;
}
