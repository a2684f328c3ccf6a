/** The rows that share a key. Keys come in the order of their first row. */
export function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): [key: string, rows: T[]][] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups];
}
